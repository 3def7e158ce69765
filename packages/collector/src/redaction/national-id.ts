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
  String.raw`ssn|social security|national insurance|nino|ni n(?:umber|o)|nhs|tax ?id|itin|passport|national id|id card|identity card|` +
    "steuer[- ]?(?:id|nummer|identifikationsnummer)|idnr|(?:sozial|renten)versicherungs\\p{L}*|sv-nummer|personalausweis\\p{L}*|ausweis\\p{L}*|reisepass\\p{L}*|" +
    "s[eé]curit[eé] sociale|s[eé]cu|carte d['’]identit[eé]|passeport|num[eé]ro fiscal|dni|nif|nss|seguridad social|pasaporte|" +
    "codice fiscale|c\\.?f\\.|carta d['’]identit[aà]|passaporto|contribuinte|cart[aã]o de cidad[aã]o|cidad[aã]o|cpf|bsn|burgerservicenummer|sofinummer|paspoort\\p{L}*|" +
    "pesel|dow[oó]d\\p{L}*|paszport\\p{L}*|personnummer|person-?nr|samordningsnummer|passnummer|pass-?nr|t\\.?c\\.? ?(?:kimlik|no)|kimlik|tckn|pasaport|" +
    "マイナンバー|個人番号",
  "",
);
const ANNOUNCED_VALUE = new RegExp(
  String.raw`^[^\p{N}\n;!?]{0,32}?(?<value>(?<!${WORD_PART})(?:[A-Z]{1,3}[ -]?)?\d(?:[ .\-/]?\d){5,14}(?:[ -]?[A-Z]{1,2})?)${AFTER}`,
  "u",
);

/** National ids: by format and check digits, or after their name. */
export const NATIONAL_ID_RULES: readonly DetectionRule[] = [
  ...FORMATS.map(([format, isValid]) =>
    whole(
      "NATIONAL_ID",
      new RegExp(`${BEFORE}(?:${format})${AFTER}`, "iu"),
      (match, text, start) => isValid(compact(match)) && !isIdOfThing(text, start),
    ),
  ),
  introduced("NATIONAL_ID", new RegExp(ANNOUNCED, "iu"), (rest) => {
    const found = valueAtEnd(ANNOUNCED_VALUE, rest);
    if (found === null) return null;
    const value = rest.slice(...found);
    const isId = digitsOf(value).length >= 6 && !isDateLike(value);
    return isId && !isIdOfThing(rest, found[0]) ? found : null;
  }),
];
