/** What may stand before and after personal data. */

/** Letters of Japanese, which is written without spaces between words. */
export const JAPANESE: string = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー`;
/** A letter or digit that goes on with a word or number. */
export const WORD_PART: string = String.raw`(?![${JAPANESE}])[\p{L}\p{N}_]`;
/** Not within a longer word or number, not after `#` (an order number), not the decimals of a price. */
export const BEFORE: string = String.raw`(?<!${WORD_PART}|#)(?<![\p{N}][.,\-/])`;
/** Not followed by more of a word or number. */
export const AFTER: string = String.raw`(?!${WORD_PART})(?![.,\-/:]\p{N})`;

/** The words, given as an expression, not within a longer word. */
export const words = (alternatives: string, end: string = `(?!${WORD_PART})`): string =>
  String.raw`(?<!${WORD_PART})(?:${alternatives})${end}`;

export const digitsOf = (text: string): string => text.replace(/\D/g, "");

const ID_LABEL = new RegExp(
  words(
    "order|invoice|barcode|price|amount|total|serie|track|parcel|shipment|ref|reference|sku|isbn|ean|upc|gtin|article|item|product|produkt|prod|part|model|" +
      "ticket|case|serial|version|build|commit|imei|id|code|batch|lot|bestell|auftrag|rechnung|sendung|artikel|kunde|vorgang|" +
      "commande|facture|suivi|article|pedido|factura|referencia|seguimiento|art[ií]culo|ordine|fattura|spedizione|articolo|" +
      "encomenda|fatura|artigo|rastreio|bestelling|factuur|zam[oó]wieni|faktur|przesy|ordernummer|order|beställning|sipariş|" +
      "kargo|takip|ürün|注文|商品|伝票|追跡|問い?合わせ|会員|型番|受付|管理|予約|製造|品番",
    String.raw`\p{L}*[^\p{L}\p{N}\n]{0,3}(?:(?:number|num|no|nr|nummer|id|code|n[uú]m[eé]ro|numer[oy]?|numarası|de|du|do|del|d'|is|ist|番号)[^\p{L}\p{N}\n]{0,3}){0,3}$`,
  ),
  "iu",
);

/** Whether the words before a number say that it is the id of a thing, such as `order no.`. */
export const isIdOfThing = (text: string, start: number): boolean =>
  ID_LABEL.test(text.slice(Math.max(0, start - 36), start));

const UNIT_AFTER =
  /^\s?(?:[€$£¥₺%]|(?:eur|euros?|usd|gbp|pln|sek|try|brl|zł|kr|tl|ml|mm|cm|km|kg|ms|px|mb|gb|pts|points?|cents?|uhr|am|pm|kb|rub|chf|jpy|円)(?![\p{L}\p{N}]))/iu;

/** Whether a number is an amount: a currency stands before or after it, or a unit after it. */
export const isAmount = (text: string, start: number, end: number): boolean =>
  UNIT_AFTER.test(text.slice(end, end + 10)) ||
  /(?:[€$£¥₺]|EUR|USD|GBP)\s?$/.test(text.slice(Math.max(0, start - 4), start));

/** Whether digits begin with a date or a time of day. */
export const isDateLike = (text: string): boolean =>
  /^\(?(?:(?:19|20)\d\d([.\-/ ])\d{1,2}\1\d{1,2}|\d{1,2}([.\-/ ])\d{1,2}\2(?:19|20)\d\d|\d{1,2}[.:]\d\d ?-)/.test(
    text,
  );
