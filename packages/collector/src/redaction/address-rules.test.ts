/** Each rule for addresses alone. */
import { ADDRESS_RULES } from "./address.ts";
import { testRules } from "./rule-cases.fixture.ts";

testRules("ADDRESS", ADDRESS_RULES, [
  {
    rule: "introduced",
    found: [
      "please deliver to <7 Clover Lane, Bath BA1 2AB>.",
      "Ich wohne in der <Honigstraße 5, 10115 Berlin>, danke",
      "vivo en <calle del panal 4>",
      "Mieszkam przy <ul. Miodowa 5/7>",
    ],
    kept: [
      "deliver to my door before 5 pm",
      "ship to Germany, 5 EUR",
      "I live in Store 5",
      "send it to the 2nd floor",
    ],
  },
  {
    rule: "up to a postcode",
    found: [
      "Write to: <Wabenhof 17, 24103 Kiel>",
      "box at <5 Clover Yard, Leeds LS2 7QB> today",
      "<Imkerei 3, 8001 Zürich>",
    ],
    kept: ["in 2026 Kiel won", "10115 Berlin", "we sold 24103 Honeys"],
  },
  {
    rule: "up to a postcode, in lower case",
    found: [
      "<honigweg 4, 10115 berlin>",
      "it is <5 clover lane, leeds ls2 7qb> please",
      "<rua do mel 80, 1100-053 lisboa>",
    ],
    kept: ["honigweg 4 in berlin", "5 clover lane", "10115 berlin"],
  },
  {
    rule: "a field of a form",
    found: ["Straße: <Honigweg 4>\n", "Name\nStreet: <7 Clover Lane>", "Ville : <69003 Lyon>"],
    kept: ["Street: required", "Ort:\n", "my street: 7 Clover Lane"],
  },
  {
    rule: "a city or a postcode on the next line",
    found: ["\nCity: <Bath>\n", "\nOrt: <Kiel>", "\nCAP: <00184>\n"],
    kept: ["City: Bath", "\nCity: bath", "\nCity: B"],
  },
  {
    rule: "a number and an English street",
    found: [
      "at <221B Clover Street>",
      "das ist <Flat 3, 22 Honey Road>, bitte",
      "<12 Old Hive Lane>, please",
    ],
    kept: ["clover street 7", "10 street art books", "order-12 Hive Lane", "12 hives Street"],
  },
  {
    rule: "a number and an English street whose word means more",
    found: ["<12 Clover Court, Bath>", "an <7 Honey Drive\nBath>"],
    kept: ["2 Black Court shoes", "7 Honey Drive", "12 Clover Park tickets"],
  },
  {
    rule: "a number, a place and a postcode",
    found: ["<77 Queen's Hive, London SW7 5JW>", "in <5 Oak, Austin, TX 78701> wohnt"],
    kept: ["77 Queens, London", "5 Oak Tables IN 2026", "77 Queens SW7"],
  },
  {
    rule: "a post box",
    found: [
      "<PO Box 123, Bath>",
      "<Postfach 10 22 18, 70018 Stuttgart>",
      "à la <BP 70412, 35704 Rennes>",
    ],
    kept: ["the PO Box is full", "a box 12", "Postfächer 12"],
  },
  {
    rule: "a German street",
    found: ["<Honigstraße 5>", "we met at <Berliner Str. 12>, then", "Bitte <Wabenallee 3a>,"],
    kept: [
      "Die Straße 5 Minuten entlang",
      "Honigstraße gesperrt",
      "Honigstraße 123456",
      "Straße 12",
      "Honigstraße 5 km",
    ],
  },
  {
    rule: "a French street",
    found: [
      "<12 rue du Miel>",
      "it is <7 bis, avenue de la Ruche> there",
      "<3 place d'Abeille, 75001 Paris>",
    ],
    kept: ["rue du Miel", "12 rue", "12 rues de Paris", "12 place for you"],
  },
  {
    rule: "a street of the Romance languages and Polish",
    found: [
      "<Via Miele 12>",
      "en <Calle Panal 5>, gracias",
      "<Rua do Mel, 100>",
      "at <ul. Miodowa 5>",
    ],
    kept: ["Via DHL, 5 days", "Camino de Santiago 2024", "Via Miele", "Corso Base 5 kg"],
  },
  {
    rule: "a Dutch or Swedish street",
    found: ["<Honinggracht 123>", "we met at <Bigatan 5>, then", "<Korte Bijenstraat 8a>,"],
    kept: ["Honinggracht", "gracht 12", "Honinggracht 123456 keer"],
  },
  {
    rule: "a place before a Dutch or Swedish postcode",
    found: ["<Honinghof 8, 1015 CJ Amsterdam>", "to <Bihus 4, 111 51 Stockholm>"],
    kept: ["Honinghof 8", "Honinghof 8, 1015 Amsterdam", "honinghof 8, 1015 CJ Amsterdam"],
  },
  {
    rule: "a Turkish street",
    found: ["<Bal Mah. Petek Sok. No: 5>", "to <Arı Caddesi No: 12>"],
    kept: ["Bal Mah. yok", "mah. 12", "Ayakkabı No: 42"],
  },
  {
    rule: "a German way that is no time",
    found: ["<Bienenweg 4>.", "we met at <Honigplatz 12>, then", "<Wabenring 7a>, bitte"],
    kept: ["Sitzplatz 14, Wagen 5", "Bienenweg 5 Minuten", "weg 4", "bienenweg 4"],
  },
  {
    rule: "a Turkish house before a place",
    found: ["<Bal Sitesi No: 12, Şile>", "to <Petek Apartmanı 3, Bursa>"],
    kept: ["Bal Sitesi 12", "Sitesi No: 12 adet", "Bal Sitesi, Şile"],
  },
  {
    rule: "a German place before a postcode",
    found: [
      "<Am Bienenstock 3, 10115 Berlin>",
      "to <Imkerplatz 3 24103 Kiel>",
      "<Wabe 2, A-1010 Wien>",
    ],
    kept: ["Wabe 2, 1000 Euro", "Am Bienenstock 3", "Wabe 2, 2026 Kiel"],
  },
  {
    rule: "a Japanese address",
    found: [
      "<〒150-0001 東京都渋谷区神宮前1-2-3>です",
      "send to <横浜市西区高島2-3-4>",
      "<大阪府大阪市北区梅田3丁目>",
    ],
    kept: ["会場は横浜市民ホール3階です", "東京都", "横浜市で3個"],
  },
  {
    rule: "a Japanese field",
    found: ["都道府県：<東京都>", "番地: <神宮前1-2-3>\n"],
    kept: ["都道府県：\n", "都道府県を選ぶ", "番地：あ"],
  },
  {
    rule: "a Japanese address after a word for it",
    found: ["住所は<神宮前1-2-3>です", "お届け先：<梅田ビル12号>"],
    kept: ["住所は変わりました", "場所は12", "住所"],
  },
]);
