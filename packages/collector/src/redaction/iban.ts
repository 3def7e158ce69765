import { mod97 } from "./check-digits.ts";
import type { DetectionRule } from "./rule.ts";
import { BEFORE, WORD_PART } from "./surroundings.ts";

/** Length of an account number by country, from the IBAN registry of SWIFT. */
const LENGTHS =
  "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27" +
  "GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29" +
  "PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20";

const CANDIDATE = new RegExp(
  String.raw`${BEFORE}[A-Z]{2}\d{2}(?:[ \-\u00a0\n]?[A-Z0-9]){11,42}`,
  "giu",
);

/** More of a word or number. */
const END = new RegExp(`^${WORD_PART}`, "u");

/** Account numbers with valid check digits, with or without spaces, in upper or lower case. */
export const IBAN_RULES: readonly DetectionRule[] = [
  {
    type: "IBAN",
    pattern: CANDIDATE,
    locate: (text, { 0: match, index }) => {
      const at = LENGTHS.indexOf(match.slice(0, 2).toUpperCase());
      if (at % 4 !== 0) return null;
      const length = Number(LENGTHS.slice(at + 2, at + 4));
      let compact = "";
      for (let end = 0; end < match.length; end++) {
        const character = match[end] ?? "";
        if (/[A-Z0-9]/i.test(character)) compact += character.toUpperCase();
        if (compact.length < length) continue;
        const isEnd = !END.test(text.slice(index + end + 1, index + end + 3));
        const isValid = mod97(compact.slice(4) + compact.slice(0, 4)) === 1;
        return isEnd && isValid ? [index, index + end + 1] : null;
      }
      return null;
    },
  },
];
