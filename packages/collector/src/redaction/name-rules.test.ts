/** Each rule for names alone. */
import { JAPANESE_NAME_RULES } from "./japanese-name.ts";
import { NAME_RULES } from "./name.ts";
import { PERSON_RULES } from "./person.ts";
import { testRules } from "./rule-cases.fixture.ts";
import { SIGNATURE_RULES } from "./signature.ts";

testRules("signatures", SIGNATURE_RULES, [
  {
    rule: "the last line under a closing",
    found: [
      "Where is it?\nKind regards\n<Ottoline Farrow>",
      "Danke und Gruß\n<Ottilie>",
      "Hallo.\n- <Otto Imker>",
      "Merci\n<Odile Ruche>\n",
    ],
    kept: [
      "Kind regards\nottoline",
      "Red Mug\nBlue Mug\n",
      "Thanks\nI will wait.",
      "Kind regards\nOttoline 5",
    ],
  },
]);

testRules("names", NAME_RULES, [
  {
    rule: "a line before a placeholder",
    found: ["<Ottoline Farrow>\n", "Hallo\n<Otto Imker>, "],
    kept: ["Ottoline\n", "Ottoline Farrow is here ", "Kind Regards\n"],
  },
  {
    rule: "after a mark and before a placeholder",
    found: ["My details: <Ottoline Farrow>, ", "für <Otto Imker> - "],
    kept: ["My details: Ottoline, ", "My details: Ottoline Farrow", "details: 2 Red Mugs, "],
  },
  {
    rule: "my name is",
    found: [
      "my name is <Ottoline Farrow>.",
      "ich heiße <Otto>",
      "me llamo <Oriol Panal> y",
      "my name is <ottoline farrow>, hi",
      "adım <Okan Petek>",
    ],
    kept: [
      "my name is on the list",
      "product name is Trail Runner",
      "my name is misspelled",
      "my name is NASA",
    ],
  },
  {
    rule: "they call me",
    found: ["They call me <Otti>.", "alle nennen mich <Otti>", "on m'appelle <Odi>"],
    kept: ["they call me at night", "they call me", "she calls Otti"],
  },
  {
    rule: "hello, I'm",
    found: ["Hi, I'm <Otti>!", "Hallo, ich bin <Otto>", "Bonjour, c'est <Odile>"],
    kept: ["Hi, I'm looking for it", "Hello, I'm German", "I'm Otti"],
  },
  {
    rule: "I am",
    found: [
      "I am <Ottoline Farrow>",
      "Ich bin <Otto Imker>",
      "soy <Oriol Panal>",
      "i'm <peter> and i need help",
      "I AM <PETER MILLER>, HELLO?",
    ],
    kept: [
      "I am happy",
      "I am looking for Honey",
      "Ich bin Kunde bei Ihnen",
      "I'M TYPING WITH ONE HAND, SORRY",
    ],
  },
  {
    rule: "this is",
    found: ["this is <Otti> speaking", "hier ist <Otto Imker>, ich", "c'est <Odile> à l'appareil"],
    kept: ["this is Amazon Prime Day", "this is Otti", "this is great, speaking"],
  },
  {
    rule: "I am, before the end of a clause",
    found: ["I am <Otti>.", "je suis <Odile> et je", "jestem <Ola>, dzień dobry"],
    kept: ["I am German.", "I am Otti number", "I am sure."],
  },
  {
    rule: "after a title",
    found: ["for Mrs. <Farrow>", "an Frau <Imker>", "my wife <Otti> said", "Sayın <Petek>"],
    kept: ["Dr. martens", "for Mrs. and", "Frau sucht"],
  },
  {
    rule: "a field of a form",
    found: [
      "Name: <Ottoline Farrow>",
      "Nachname: <Imker>",
      "Nom : <Ruche>",
      "name: <ottoline farrow>",
    ],
    kept: ["Product name: Trail Runner 3", "Name: required", "Name:", "Guest: 2 adults"],
  },
  {
    rule: "a field that companies have, too",
    found: ["Recipient: <Ottoline Farrow>", "Absender: <Otto Imker>"],
    kept: ["Recipient: Farrow", "Recipient: the office", "our Recipient: Ottoline Farrow"],
  },
  {
    rule: "under or after a closing",
    found: [
      "Best regards,\n<Otti>",
      "Mit freundlichen Grüßen\n\n<Otto Imker>",
      "merci, <Odile>",
      "Saludos,\n<Oriol>",
    ],
    kept: ["Best regards,\nottoline", "Thanks,\nI will wait.", "Thanks, Honey and Bread"],
  },
  {
    rule: "after a short closing",
    found: ["LG <Otti>", "mvh <Olle>.", "groetjes <Otje>"],
    kept: ["LG Monitor 27", "lg otti", "regards to Otti who"],
  },
  {
    rule: "after a short closing, in lower case",
    found: ["lg, <peter>", "mvg <jan>"],
    kept: ["lg monitor", "lgpeter", "xx large"],
  },
  {
    rule: "in the name of",
    found: [
      "the account holder is <Ottoline Farrow>",
      "Kontoinhaber: <Otto Imker>",
      "in the name <Ottoline Farrow>",
    ],
    kept: ["in the name Otti", "account holder is me", "in the name of the law"],
  },
  {
    rule: "I, N. N., hereby",
    found: ["I, <Ottoline Farrow>, hereby", "Ich, <Otto Imker>, kündige"],
    kept: ["I, Otti, hereby", "I, for one, like", "I, Ottoline Farrow hereby"],
  },
  {
    rule: "it's N. again",
    found: ["it's <Otti> again", "hallo, this is <Otto> here"],
    kept: ["it's Monday again", "it's Otti", "it's here again"],
  },
  {
    rule: "a person to deliver to, before a place",
    found: [
      "deliver it to <Ottoline Farrow>, 7 Clover Lane",
      "schicken Sie an <Otto Imker>, 10115 Berlin",
    ],
    kept: [
      "deliver it to Ottoline, 7 Clover Lane",
      "deliver it to Clover Lane",
      "deliver to Ottoline Farrow by Friday",
    ],
  },
  {
    rule: "a person to call, before a placeholder",
    found: ["call <Otti>: ", "rufen sie <Otto Imker> ("],
    kept: ["Call Sales: ", "call otti: ", "call Otti "],
  },
  {
    rule: "under the name",
    found: ["a table for <Otti>", "auf den Namen <Imker>", "au nom de <Ruche>", "c/o <Farrow>"],
    kept: ["a table for two", "booking under the bridge", "auf den Namen achten"],
  },
  {
    rule: "N. here",
    found: ["<Otti> here, hello", "<Otto Imker> hier.", "<Odile Ruche> à l'appareil,"],
    kept: ["Come here, please", "Please here.", "Otti hears"],
  },
  {
    rule: "a name in capitals",
    found: ["name OTTOLINE FARROW", "Name auf der Karte OTTO IMKER"].map((text) =>
      text.replace(/([A-Z]{4,} [A-Z]+)$/u, "<$1>"),
    ),
    kept: ["name Ottoline Farrow", "name USB", "surname OTTOLINE FARROW"],
  },
  {
    rule: "Turkish names before what they do",
    found: ["<Okan Petek> adına", "kargo <Oya> Hanım için", "for <Okan Petek> adına"],
    kept: ["Sipariş adına", "okan adına", "Okan Petek aldı"],
  },
]);

testRules("persons", PERSON_RULES, [
  {
    rule: "relatives",
    found: [
      "my daughter <Otti> is",
      "MY DAUGHTER <HANNAH>, 5",
      "meine Kollegin heißt <Ottilie Imker>",
      "mi hermana, <Olalla>",
      "annem <Oya> için",
    ],
    kept: [
      "my daughter is ill",
      "my daughter loves it",
      "our Otti",
      "MY SON LOSES A SCARF A MONTH",
    ],
  },
  {
    rule: "is called",
    found: [
      "my neighbor, she is called <Otti>",
      "meine Frau, sie heißt <Ottilie>",
      "mi mujer se llama <Olalla>",
    ],
    kept: ["the model is new, se llama Honey", "she is called often", "the shop heißt Wabe"],
  },
  {
    rule: "who did something",
    found: [
      "on behalf of <Ottoline Farrow>",
      "gebucht von <Otto Imker>",
      "booked by <Peter>",
      "reservado por <Oriol Panal>",
    ],
    kept: ["on behalf of all", "booked by phone", "gebucht von Berlin"],
  },
  {
    rule: "whose account it is",
    found: [
      "the account is registered to <Ottoline Farrow>",
      "der Vertrag läuft auf <Otto Imker>",
      "the card belongs to <Peter>",
    ],
    kept: ["the account belongs to us", "the card belongs to Berlin", "der Vertrag läuft aus"],
  },
  {
    rule: "after more titles",
    found: ["an hr. <Imker>", "kära fru <Bi>", "for miss <Farrow>", "familie <Bij>"],
    kept: ["miss you", "familiar faces", "an hr imker"],
  },
  {
    rule: "salutations",
    found: ["Dear <Ottoline>,", "Lieber <Otto>!", "Estimada <Olalla Panal>:"],
    kept: ["Dear Ottoline can you", "Dear all,", "Dear Sir,", "Dear Sirs,"],
  },
  {
    rule: "known as",
    found: ["she goes by <Otti>.", "Spitzname ist <Otti>", "llámame <Ori>, por favor"],
    kept: ["time goes by fast", "goes by NASA.", "goes by Train to"],
  },
  {
    rule: "my name, apart",
    found: [
      "booked on my name (<Ottoline Farrow>)",
      "uno a mio nome, <Otello Miele>",
      "auf mich: <Otto Imker>",
    ],
    kept: ["my name (Otti)", "my name, please", "my name Ottoline Farrow"],
  },
  {
    rule: "names within a clause",
    found: ["ich werde <Otti> genannt", "bana <Oya> derler", "kimlikte <Okan Petek> yazar"],
    kept: ["ich werde oft genannt", "bana Oya", "kimlikte foto"],
  },
]);

testRules("Japanese names", JAPANESE_NAME_RULES, [
  {
    rule: "introduced",
    found: ["名前は<蜂谷花子>です", "私は<田中太郎>と申します", "my card, 名義：<ハチ ミツコ>"],
    kept: ["お名前は必須です", "商品名は蜂蜜です", "名前は未登録です", "私は学生です"],
  },
  {
    rule: "before と申します",
    found: ["<蜂谷花子>と申します", "hello, <蜂谷>といいます"],
    kept: ["花子と話す", "と申します", "蜂谷花子です"],
  },
  {
    rule: "by its surname",
    found: ["<佐藤花子>様へ", "担当は<田中>さん", "<高橋太郎>\n"],
    kept: ["田中町の店", "佐藤", "高橋は店です"],
  },
]);
