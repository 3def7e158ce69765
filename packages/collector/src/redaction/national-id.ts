import * as check from "./check-digits.ts";
import { introduced, valueAtEnd, whole } from "./rule.ts";
import type { DetectionRule } from "./rule.ts";
import {
  AFTER,
  BEFORE,
  digitsOf,
  isDateLike,
  isIdOfThing,
  WORD_PART,
  words,
} from "./surroundings.ts";

const compact = (match: string): string => match.replace(/[^A-Z0-9]/gi, "").toUpperCase();

const elevenDigits = (text: string): boolean =>
  text.length === 11 &&
  (check.isCpf(text) || check.isTckn(text) || check.isPesel(text) || check.isSteuerId(text));

/** Formats and their checks. A check gets the match without separators, in upper case. */
const FORMATS: readonly (readonly [string, (text: string) => boolean])[] = [
  // United States: SSN.
  [String.raw`(?!000|666|9)\d{3}([ \-])(?!00)\d{2}\1(?!0000)\d{4}`, () => true],
  // United Kingdom: NINO.
  [String.raw`(?!BG|GB|KN|NK|NT|TN|ZZ)[A-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]`, () => true],
  // Brazil, Turkey, Poland, and Germany's tax id.
  [String.raw`\d{2,3}[ .]?\d{3}[ .]?\d{3}[ \-]?\d{2,3}`, elevenDigits],
  // Germany: pension insurance.
  [String.raw`\d{2} ?\d{6} ?[A-Z] ?\d{2} ?\d`, check.isSvnr],
  // France: NIR.
  [
    String.raw`[1-478][ .]?\d{2}[ .]?\d{2}[ .]?(?:\d{2}|2[AB])[ .]?\d{3}[ .]?\d{3}[ .\-/]{0,3}\d{2}`,
    check.isNir,
  ],
  // Spain: DNI and NIE.
  [String.raw`(?:[XYZ][ \-]?\d{7}|\d{8}|\d{2}\.\d{3}\.\d{3})[ \-]?[A-Z]`, check.isDni],
  // Italy: codice fiscale.
  [
    String.raw`[A-Z]{3} ?[A-Z]{3} ?\d{2}[A-EHLMPRST]\d{2} ?[A-Z]\d{3} ?[A-Z]`,
    (text) => /^[A-Z]{6}/.test(text),
  ],
  // Sweden: personnummer.
  [
    String.raw`(?:19|20)?\d{6}[\-+]\d{4}|(?:19|20)\d{10}`,
    (text) => check.isPersonnummer(text.slice(-10)),
  ],
];

/** Names of ids, after which a number needs no check digit. */
const ANNOUNCED = words(
  String.raw`ssn|social security|national insurance|nino|ni n(?:umber|o)|nhs|tax ?id|itin|passport|national id|id card|identity card|driv(?:ing|er['’]?s) licen[cs]e|licen[cs]e n(?:umber|o)|sin(?= number| no|:)|ppsn?|` +
    "steuer(?:liche )?[- ]?(?:id|nr\\.?|nummer|identifikationsnummer)|identifikationsnummer|idnr|sozialversicherung|svnr|ahv|versichertennummer|krankenversicherten\\p{L}*|perso(?:nummer|nr)?|(?:sozial|renten)versicherungs\\p{L}*|sv-nummer|personalausweis\\p{L}*|ausweis\\p{L}*|reisepass\\p{L}*|" +
    "s[eé]curit[eé] sociale|s[eé]cu|carte d['’]identit[eé]|passeport|num[eé]ro fiscal|dni|nif|nie|curp|rfc|nuss|nss|c[eé]dula|seguridad social|pasaporte|" +
    "codice fiscale|c\\.?f\\.|carta d['’]identit[aà]|passaporto|contribuinte|cart[aã]o de cidad[aã]o|cidad[aã]o|cpf|rg|cni|niss|nipc|utente|cnh|bsn|burgerservicenummer|sofinummer|paspoort\\p{L}*|" +
    "pesel\\p{L}*|nip|regon|dow[oó]d\\p{L}*|paszport\\p{L}*|personnummer\\p{L}*|person-?nr|pnr|p-nr|identitetsnummer|samordningsnummer|passnummer|pass-?nr|t\\.?c\\.?(?: ?(?:kimlik|no|numara\\p{L}*))?(?= ?[:\\d]| \\p{L}{2,12} \\d)|vatandaşlık|kimlik|tckn|pasaport|" +
    "マイナンバー|個人番号|免許証(?:番号)?|旅券番号|パスポート|在留カード|保険証|年金番号",
  "",
);
const ANNOUNCED_VALUE = new RegExp(
  String.raw`^[^\p{N};!?]{0,32}?(?<value>(?<!${WORD_PART})(?:[A-Z]{1,3}[ -]?)?\d(?:[ .\-/]?\d){5,14}(?:[ .-]?[\dA-Z]{1,2})?)${AFTER}`,
  "u",
);
/** Letters and digits in capitals, such as `L01X00T471`. */
const ANNOUNCED_MIXED = new RegExp(
  String.raw`^[^\p{N};!?]{0,24}?(?<value>(?<!${WORD_PART})(?=[A-Z]{0,8}\d)(?=(?:[A-Z]*\d){4})[A-Z\d]{8,18})${AFTER}`,
  "u",
);
/** A number before the name of its id, or far behind it: the check digits have to be right. */
const CHECKED: readonly (readonly [RegExp, string, (text: string) => boolean])[] = [
  [
    /(?<!\p{L})(?:bsn|burgerservice\p{L}*|sofi\p{L}*|nif|contribuinte|fiscal|finanças)(?!\p{L})/iu,
    String.raw`\d{9}|\d{3}[ .]\d{3}[ .]\d{3}|\d{4}[ .]\d{2}[ .]\d{3}`,
    (text) => check.isBsn(text) || check.isNifPt(text),
  ],
  [/マイナンバー|個人番号/u, String.raw`\d{12}|\d{4}[ -]\d{4}[ -]\d{4}`, check.isMyNumber],
  [
    /(?<!\p{L})(?:person|siffr|pnr|legitim|folkbok|född|identitet)/iu,
    String.raw`\d{6}[ ]?\d{4}`,
    check.isPersonnummer,
  ],
];

/** National ids: by format and check digits, or after their name. */
export const NATIONAL_ID_RULES: readonly DetectionRule[] = [
  ...FORMATS.map(([format, isValid]) =>
    whole(
      "NATIONAL_ID",
      new RegExp(`${BEFORE}(?:${format})${AFTER}`, "iu"),
      (match, text, start) => isValid(compact(match)) && !isIdOfThing(text, start),
    ),
  ),
  ...CHECKED.map(([cue, format, isValid]) =>
    whole(
      "NATIONAL_ID",
      new RegExp(`${BEFORE}(?:${format})${AFTER}`, "u"),
      (match, text, start) =>
        isValid(compact(match)) && cue.test(text.slice(Math.max(0, start - 80), start + 60)),
    ),
  ),
  introduced("NATIONAL_ID", new RegExp(ANNOUNCED, "iu"), (rest) => {
    const found = valueAtEnd(ANNOUNCED_VALUE, rest) ?? valueAtEnd(ANNOUNCED_MIXED, rest);
    if (found === null) return null;
    const value = rest.slice(...found);
    const isLong = digitsOf(value).length >= 6 || compact(value).length >= 8;
    const isId = isLong && !isDateLike(value);
    return isId && !isIdOfThing(rest, found[0]) ? found : null;
  }),
];
