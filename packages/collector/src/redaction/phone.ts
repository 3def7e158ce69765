import { introduced, valueAtEnd, whole } from "./rule.ts";
import type { DetectionRule } from "./rule.ts";
import {
  AFTER,
  BEFORE,
  digitsOf,
  isAmount,
  isDateLike,
  isIdOfThing,
  WORD_PART,
  words,
} from "./surroundings.ts";

const EXTENSION = String.raw`(?:,? ?(?:ext\.?|extension|x|durchwahl|dw|poste|pst\.?|tst\.?|int[eé]rieur|wew|interno|int\.|ramal|toestel|wewn?\.|anknytning|ankn\.|app\.|klappe|anexo|dahili|内線)\.? ?\d{1,6})?`;

/** National formats with separators. Each has 9 to 12 digits. */
const NATIONAL = [
  // North American: (415) 555-0132, 1-415-555-0132.
  String.raw`(?:1[ .\-])?(?:\([2-9]\d{2}\) ?|[1-9]\d{2}[ .\-/])\d{3}[ .\-]\d{4}`,
  // With a leading zero: 0170 1234567, (030) 1234567, 020 7946 0958, 01 23 45 67 89, 090-1234-5678.
  String.raw`\(?0[1-9]\d{0,4}(?:\)[ \-/]?| [/–\-] |[ .\-/\u00a0])\d{2,8}(?:[ .\-/\u00a0]\d{2,5}){0,4}`,
  // A space after the zero: 0 312 555 01 90. Spain: 93.555.01.28.
  String.raw`0 [2-5]\d{2} \d{3} \d{2} \d{2}|[89]\d[ .]\d{3}[ .]\d{2}[ .]\d{2}`,
  // With an area code in brackets: (11) 91234-5678, (22) 123 45 67.
  String.raw`[(（]0?[1-9]\d{1,3}[)）] ?\d{2,5}(?:[ .\-]\d{2,4}){1,3}`,
  // Brazil: 11 91234-5678, 21 3456-7890.
  String.raw`[1-9]\d (?:9\d{4}[ \-]?|(?!20)[2-5]\d{3}-)\d{4}`,
  // 532 123 45 67, 91 123 45 67, 612 34 56 78.
  String.raw`[1-9]\d{1,2}[ \-]\d{3}[ \-]\d{2}[ \-]\d{2}|[1-9]\d\d\.\d{3}\.\d\d\.\d\d|[1-9]\d/\d{3}[ \-]\d\d[ \-]\d\d|[6-9]\d{2}(?: \d{2}){3}`,
  // 612 345 678, 21 123 4567, 213 456 789.
  String.raw`[4-9]\d{2}([ \-])\d{3}\1\d{3}|2[1-9]\d? \d{3} \d{3,4}`,
  // Italy's mobile numbers: 347 123 4567, 347 1234567.
  String.raw`3[2-9]\d[ .\-/](?:\d{3} ?\d{3,4}|\d{2} \d{2} \d{3})`,
  // Japan: 0422(55)0138.
  String.raw`0\d{1,4}[(（]\d{1,4}[)）]\d{4}`,
  // Mobile numbers without separators.
  String.raw`0(?:7\d{9}|[67]\d{8}|1[5-7]\d{8,9}|5\d{9}|[789]0\d{8}|[1-9]\d{8})`,
];

/** Words that announce a phone number. */
const ANNOUNCED = words(
  String.raw`(?:tele|mobile |mobil|cell |handy|my |phone )?(?:phone|tel|telefon|mobile?|handy|cell|fax|whatsapp|gsm|signal)(?:s?nummer|s? number|numret)?|` +
    "(?:call|text|ring|reach|phone) (?:me|us)(?: back)?|t[eé]l[eéè]fon\\p{L}{0,3}|portable|m[oó]vil|celular|cellulare|telem[oó]vel|telefoon\\p{L}{0,6}|" +
    "mobiel|kom[oó]rk\\p{L}{1,3}|cep|mobil\\p{L}{0,6}|my number|meine nummer|mon num[eé]ro|mi n[uú]mero|mio numero|meu n[uú]mero|" +
    "mijn nummer|m[oó]j numer|mitt nummer|numaram|ruf\\p{L}{0,2} (?:sie )?mich|lig(?:ue|a|ar) para|me liga|zadzwo\\p{L}{1,4}|sms\\p{L}{0,4}(?: na| an| auf| au| al| para| naar| till)?|numer\\p{L}{0,2}|nr|ring mig|bel (?:me|mij)|appele[rz](?:-| )moi|ll[aá]m[ae]me|chiamami|" +
    "chiam(?:i|ate|are)|ligue|ligar|llam(?:e|ar|en|ad)|appel(?:er|ez)|anrufen|anruf|bellen|ringa|dzwoni\\p{L}{1,3}|arayın|(?:put|use|try|add|note)(?= [2-9]\\d{9}(?!\\d))|" +
    "zap|fijo|fixe|fisso|fixo|landline|festnetz(?:nummer)?|kom\\.|電話(?:番号)?|携帯|連絡先|ファックス",
  "",
);
const ANNOUNCED_VALUE = new RegExp(
  String.raw`^[^\p{N}\n(+#]{0,28}(?<value>\(?\d\)?(?:[ .\-/\u00a0]?\(?\d\)?){6,12})${AFTER}`,
  "iu",
);

const isNational = (match: string, text: string, start: number): boolean => {
  const count = digitsOf(match.replace(/\p{L}.*/u, "")).length;
  // 500 600 700 is a list of round numbers.
  const isNumber =
    count >= 9 &&
    count <= 12 &&
    !isDateLike(match) &&
    !/^(?:\d00\D?)+$|^(?:[12]?\d?\d\.){3}[12]?\d?\d$/.test(match);
  return isNumber && !isAmount(text, start, start + match.length) && !isIdOfThing(text, start);
};

/** Phone numbers: international ones, national ones with separators, and digits after words that announce them. */
export const PHONE_RULES: readonly DetectionRule[] = [
  whole(
    "PHONE",
    new RegExp(
      String.raw`(?:(?<!${WORD_PART}|[#+])\+|${BEFORE}00)[1-9](?:(?:[ .\-/\u00a0]| / )?\(?\d\)?){7,15}${EXTENSION}${AFTER}`,
      "iu",
    ),
    (match) => {
      const count = digitsOf(match.replace(/^00|,? ?\p{L}.*/giu, "")).length;
      return count >= 9 && count <= 16;
    },
  ),
  whole(
    "PHONE",
    new RegExp(
      String.raw`(?<!${WORD_PART}|[#+])(?<!\p{N}[.,\-/ ])(?:${NATIONAL.join("|")})${EXTENSION}${AFTER}`,
      "iu",
    ),
    isNational,
  ),
  // Digits of full width.
  whole(
    "PHONE",
    /(?<![０-９])０[０-９]{1,4}[−－‐ー-][０-９]{1,4}[−－‐ー-][０-９]{3,4}(?![０-９])/u,
  ),
  introduced("PHONE", new RegExp(ANNOUNCED, "iu"), (rest) => {
    const found = valueAtEnd(ANNOUNCED_VALUE, rest);
    if (found === null) return null;
    const [start, end] = found;
    const value = rest.slice(start, end);
    const count = digitsOf(value).length;
    const isVersion = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(value);
    const isOther =
      isVersion || isDateLike(value) || isAmount(rest, start, end) || isIdOfThing(rest, start);
    return count >= 7 && count <= 13 && !isOther ? found : null;
  }),
];
