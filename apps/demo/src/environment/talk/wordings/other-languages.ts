/** What people ask the shop in languages that the assistant does not speak. */
import type { Wordings } from "./wordings.ts";

export const OTHER_LANGUAGES: Wordings<"other-language"> = {
  "other-language": [
    // German.
    "Was kostet die Lampe?",
    "Ich hätte gern den günstigsten Rucksack.",
    "leg bitte zwei Tassen in den Warenkorb",
    "habt ihr noch Regenschirme auf Lager?",
    "Nimm den Stuhl wieder raus",
    "was ist in meinem Warenkorb",
    "Ich suche eine warme Decke für meine Oma",
    "welcher Lautsprecher ist am besten bewertet?",
    "zeig mir alle Jacken unter 100 Euro",
    "Können Sie mir helfen?",
    // French.
    "Combien coûte cette lampe ?",
    "je voudrais acheter un sac à dos",
    "ajoutez deux tasses à mon panier s'il vous plaît",
    "Avez-vous des parapluies rouges ?",
    "quel est le total de mon panier",
    "Bonjour, je cherche une couverture en laine.",
    "enlève la chaise de mon panier",
    "c'est quoi le chapeau le moins cher ?",
    // Spanish.
    "¿Cuánto cuesta la mochila?",
    "quiero comprar una lámpara",
    "añade dos tazas a mi carrito, por favor",
    "¿Tienen chaquetas impermeables?",
    "quita la silla del carrito",
    "¿cuál es el altavoz mejor valorado?",
    "busco una manta para mi madre",
    "hola, ¿qué puedes hacer?",
    // Italian.
    "Quanto costa lo zaino?",
    "vorrei una lampada da scrivania",
    "aggiungi due tazze al carrello per favore",
    "avete ombrelli neri?",
    "togli la sedia dal carrello",
    "Qual è la coperta più economica?",
    "cosa c'è nel mio carrello",
    // Portuguese.
    "Quanto custa a mochila?",
    "quero comprar um guarda-chuva",
    "coloca duas canecas no carrinho, por favor",
    "vocês têm casacos de lã?",
    "qual é a cadeira mais barata?",
    "tira o chapéu do carrinho",
    // Dutch.
    "hoeveel kost deze lamp?",
    "ik wil graag een rugzak kopen",
    "doe twee mokken in mijn winkelwagen",
    "Heeft u ook warme dekens?",
    "wat is de goedkoopste stoel",
    "haal de paraplu weer uit mijn mandje",
    // Polish.
    "Ile kosztuje ten plecak?",
    "poproszę dwa kubki do koszyka",
    "czy macie wodoodporne kurtki?",
    "usuń krzesło z koszyka",
    "który koc jest najtańszy?",
    // Swedish.
    "Vad kostar ryggsäcken?",
    "jag vill köpa en lampa",
    "lägg två muggar i varukorgen",
    "har ni några paraplyer kvar?",
    // Danish.
    "hvad koster stolen?",
    "jeg vil gerne have den billigste lampe",
    "læg to krus i kurven, tak",
    // Norwegian.
    "har dere varme luer på lager?",
    "Jeg trenger en ny ryggsekk",
    "fjern teppet fra handlekurven",
    // Finnish.
    "paljonko tämä lamppu maksaa?",
    "haluaisin ostaa repun",
    "lisää kaksi mukia ostoskoriin",
    // Czech.
    "kolik stojí ten batoh?",
    "přidej dva hrnky do košíku",
    "máte nepromokavé bundy?",
    // Hungarian.
    "mennyibe kerül a hátizsák?",
    "szeretnék egy meleg takarót",
    // Romanian.
    "cât costă lampa?",
    "vreau să cumpăr o umbrelă",
    // Turkish.
    "bu lamba ne kadar?",
    "sepetime iki kupa ekle lütfen",
    "en ucuz sırt çantası hangisi?",
    // Indonesian.
    "berapa harga lampu ini?",
    "saya mau beli payung",
    // Greek.
    "πόσο κάνει η λάμπα;",
    "θέλω μια ομπρέλα",
    // Russian.
    "сколько стоит рюкзак?",
    "добавь две кружки в корзину",
    "у вас есть тёплые шапки?",
    // Ukrainian.
    "скільки коштує ця лампа?",
    "я хочу купити парасольку",
    // Arabic.
    "كم سعر هذا المصباح؟",
    "أريد شراء حقيبة ظهر",
    // Chinese.
    "这个背包多少钱?",
    "我想买一把雨伞",
    "请把两个杯子放进购物车",
    // Japanese.
    "このランプはいくらですか?",
    "傘を買いたいです",
    // Korean.
    "이 의자 얼마예요?",
    "가장 싼 담요를 보여 주세요",
    // Hindi.
    "यह छाता कितने का है?",
  ],
};
