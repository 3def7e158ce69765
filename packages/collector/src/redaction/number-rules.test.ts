/** Each rule for e-mail addresses, account, card, id and phone numbers alone. */
import { CARD_RULES } from "./card.ts";
import { EMAIL_RULES } from "./email.ts";
import { IBAN_RULES } from "./iban.ts";
import { NATIONAL_ID_RULES } from "./national-id.ts";
import { PHONE_RULES } from "./phone.ts";
import { testRules } from "./rule-cases.fixture.ts";

testRules("EMAIL", EMAIL_RULES, [
  {
    rule: "with @",
    found: [
      "write to <otto.farrow+hive@mail.example.co.uk>.",
      "schreib an <jörg@bienenhaus.example>, danke",
      "連絡は<otto@example.jp>まで",
      "(<o'neil_7@example.org>)",
    ],
    kept: ["costs 3@5.99 each", "icon@2x.png", "@otto on chat", "otto@localhost"],
  },
  {
    rule: "with (at) and [dot]",
    found: [
      "<otto (at) example.org>",
      "<otto[ät]bienen[punkt]example>",
      "escribe a <otto (arroba) example [punto] org>",
      "<otto {at} example dot org>",
    ],
    kept: ["we meet (at) noon", "otto at example", "(at) example.org"],
  },
  {
    rule: "as people say it",
    found: [
      "it is <otto dot farrow at example dot com>",
      "das ist <otto punkt farrow ät example punkt de>",
      "c'est <otto tiret farrow arobase example point fr>",
    ],
    kept: ["we look at example dot matrices", "meet me at noon dot", "at example dot com"],
  },
]);

testRules("IBAN", IBAN_RULES, [
  {
    rule: "check digits and the length of the country",
    found: [
      "<DE89 3704 0044 0532 0130 00>.",
      "sur <FR1420041010050500013M02606>, merci",
      "口座は<GB82-WEST-1234-5698-7654-32>です",
      "iban: <nl91abna0417164300> en naam",
    ],
    kept: [
      "DE88 3704 0044 0532 0130 00",
      "DE89 3704 0044 0532 0130 001",
      "XX89 3704 0044 0532 0130 00",
      "DE89 3704 0044 0532 0130",
      "#DE89370400440532013000",
    ],
  },
]);

testRules("CARD", CARD_RULES, [
  {
    rule: "a network's number with its check digit",
    found: [
      "<4111 1111 1111 1111>",
      "mit <5555-5555-5555-4444> bezahlt",
      "カード<378282246310005>で",
      "carte <3056 930902 5904>,",
    ],
    kept: [
      "4111 1111 1111 1112",
      "4111 1111 1111 1111 5",
      "1111 1111 1111 1117",
      "#4111111111111111",
      "4222222222222",
    ],
  },
]);

testRules("NATIONAL_ID", NATIONAL_ID_RULES, [
  {
    rule: "SSN",
    found: ["it is <123-45-6789>", "mi número es <219 09 9999>."],
    kept: ["000-12-3456", "666-12-3456", "123-45 6789", "123-00-6789", "order 123-45-6789"],
  },
  {
    rule: "NINO",
    found: ["<AB 12 34 56 C>", "mein NINO <QQ123456A>,"],
    kept: ["GB 12 34 56 C", "AB 12 34 56 E", "AB 12 34 567 C", "ref AB123456C"],
  },
  {
    rule: "eleven digits: CPF, TCKN, PESEL, Steuer-ID",
    found: ["CPF <529.982.247-25>", "<10000000146> numaram", "mój <44051401359>", "<86095742719>"],
    kept: ["529.982.247-24", "10000000147", "44051401358", "sipariş 10000000146"],
  },
  {
    rule: "German pension insurance",
    found: ["<65 170839 J 003>", "numéro allemand <65170839J003>."],
    kept: ["65 170839 J 004", "65 170839 3 003", "Rechnung 65170839J003"],
  },
  {
    rule: "NIR",
    found: ["<1 84 12 76 451 089 46>", "my French number, <184127645108946>,"],
    kept: ["1 84 12 76 451 089 47", "9 84 12 76 451 089 46", "commande 184127645108946"],
  },
  {
    rule: "DNI and NIE",
    found: ["<12345678Z>", "my NIE is <X-1234567-L>", "<12.345.678-Z>,"],
    kept: ["12345678A", "W1234567L", "1234567Z", "pedido 12345678Z"],
  },
  {
    rule: "codice fiscale",
    found: ["<RSSMRA85T10A562S>", "the Italian one is <RSS MRA 85T10 A562S>"],
    kept: ["RSSMRA85F10A562S", "RSSMRA85T10A562", "1SSMRA85T10A562S", "articolo RSSMRA85T10A562S"],
  },
  {
    rule: "personnummer",
    found: ["<811228-9874>", "my number <19811228-9874>,"],
    kept: ["811228-9875", "811228 9874", "order 811228-9874"],
  },
  {
    rule: "BSN and NIF near their names",
    found: [
      "<111222333> is mijn BSN",
      "my BSN, the Dutch one: <111222333>",
      "contribuinte <123 456 789>",
    ],
    kept: ["BSN 111222334", "111222333 pieces", "BSN 1112223334"],
  },
  {
    rule: "My Number near its name",
    found: ["<123456789018>がマイナンバーです", "個人番号は<1234-5678-9018>"],
    kept: ["マイナンバー 123456789019", "123456789018", "マイナンバー 1234567890185"],
  },
  {
    rule: "personnummer near its name",
    found: ["personnummer <8112289874>", "<811228 9874> is my personal identitet number"],
    kept: ["personnummer 8112289875", "8112289874 styck", "pnr 18112289874"],
  },
  {
    rule: "after the name of an id",
    found: [
      "passport no. <533401372>",
      "Reisepass: <C01X00T47>",
      "la mia carta d'identità è <CA12345AA>",
      "免許証番号 <123456789012>",
      "my ssn is <123456789>",
    ],
    kept: [
      "passport photos 35 x 45",
      "passport renewed on 12.05.2026",
      "my ssn has 9 digits",
      "sin 123456789",
    ],
  },
]);

testRules("PHONE", PHONE_RULES, [
  {
    rule: "international",
    found: [
      "<+44 20 7946 0958>",
      "ruf <0049 30 901820> an",
      "電話<+81 3-1234-5678>",
      "<+1 (415) 555-0132 ext. 4>,",
    ],
    kept: ["+20.00", "+4420", "x+44 20 7946 0958", "+44 20 7946 0958123456789"],
  },
  {
    rule: "national formats",
    found: [
      "<(415) 555-0132>",
      "unter <030 / 901820> erreichbar",
      "au <01 23 45 67 89>.",
      "llama al <612 34 56 78>",
      "<11 91234-5678>",
    ],
    kept: [
      "0.123456789",
      "500 600 700",
      "Bestellnummer 0170 1234567",
      "512 345 678 zł",
      "2026-01-02 10:00",
    ],
  },
  {
    rule: "digits of full width",
    found: ["電話は<０９０−１２３４−５６７８>です", "fax <０３-１２３４-５６７８>"],
    kept: ["１２３−４５６７", "０９０１２３４５６７８", "０３-１２３４-５６７８９"],
  },
  {
    rule: "after words that announce it",
    found: [
      "my phone: <5551234567>",
      "Handy <01701234567>",
      "mon portable c'est le <612345678>",
      "numaram <5321234567>",
      "携帯は<09012345678>",
    ],
    kept: [
      "my phone has 128 GB",
      "my phone cost 1234567 kr",
      "call me on 12.05.2026",
      "phone 192.168.10.20",
      "my phone: 123456",
    ],
  },
]);
