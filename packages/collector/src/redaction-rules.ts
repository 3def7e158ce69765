/**
 * Built-in patterns of personal data. For digits they prefer precision, because pages of stores are full of prices,
 * product ids and order numbers, and redacting a price breaks a task.
 *
 * A library of numbering plans would find more national phone numbers, but it needs the visitor's country, which
 * a page does not know, and 80 KB of tables. The patterns below cover the common ways to write phone numbers.
 */

/** A pattern to redact and its type. */
export type RedactionRule = {
  /** Type in the placeholder `[TYPE_1]`: upper-case letters, digits and `_`. */
  readonly type: string;
  /** Flags `g` and `y` are ignored. It is never applied to placeholders or across them. */
  readonly pattern: RegExp;
  /** Checks a match. Returning `false` keeps the text. */
  readonly accept?: (match: string) => boolean;
};

/** True if the digits pass the checksum of ISO/IEC 7812-1, annex B (Luhn). */
export function isLuhnValid(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return digits.length > 0 && sum % 10 === 0;
}

const digitsOf = (text: string): string => text.replace(/\D/g, "");

const hasDigits =
  (min: number, max: number) =>
  (match: string): boolean => {
    const count = digitsOf(match).length;
    return count >= min && count <= max;
  };

// Not within a longer word or number, not after `#` (an order number), not the decimals of a price.
const BEFORE = String.raw`(?<![\p{L}\p{N}_#])(?<![\p{N}][.,\-/])`;
const AFTER = String.raw`(?![\p{L}\p{N}_])(?![.,\-/]\p{N})`;

/** The rules, in order. Lengths are limited, so that long texts take linear time. */
export const BUILT_IN_RULES: readonly RedactionRule[] = [
  {
    type: "EMAIL",
    pattern: /[\p{L}\p{N}._%+'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/u,
  },
  {
    // Starts with the digits of the card networks. 13 digits are excluded: few cards had that length, while
    // barcodes and times in milliseconds often do.
    type: "CARD",
    pattern: new RegExp(String.raw`${BEFORE}[2-6]\d{3}(?:[ -]?\d){10,15}${AFTER}`, "u"),
    accept: (match) => hasDigits(14, 19)(match) && isLuhnValid(digitsOf(match)),
  },
  {
    // International: +49 170 1234567, 0049 170 1234567, +1 (415) 555-0132.
    type: "PHONE",
    pattern: new RegExp(
      String.raw`(?:(?<![\p{L}\p{N}_#+])\+|${BEFORE}00)[1-9](?:[ .\-/]?\(?\d\)?){7,15}${AFTER}`,
      "u",
    ),
    accept: (match) => hasDigits(9, 15)(match.replace(/^00/, "")),
  },
  {
    // North American, grouped: (415) 555-0132, 415-555-0132.
    type: "PHONE",
    pattern: new RegExp(
      String.raw`(?<![\p{L}\p{N}_#])(?<![\p{N}][.,\-/])(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .\-])[2-9]\d{2}[ .\-]\d{4}${AFTER}`,
      "u",
    ),
  },
  {
    // National with a leading zero, grouped: 0170 1234567, 030/1234567, 020 7946 0958.
    type: "PHONE",
    pattern: new RegExp(
      String.raw`${BEFORE}(?:\(0\d{2,4}\) ?|0[1-9]\d{1,3}[ \-/])\d{3,8}(?:[ \-]\d{2,4}){0,3}${AFTER}`,
      "u",
    ),
    accept: hasDigits(9, 12),
  },
  {
    // French style: five pairs, 01 23 45 67 89.
    type: "PHONE",
    pattern: new RegExp(String.raw`${BEFORE}0[1-9]([ .\-])\d{2}(?:\1\d{2}){3}${AFTER}`, "u"),
  },
  {
    // Digits without separators, only after words that announce a phone number.
    type: "PHONE",
    pattern: new RegExp(
      String.raw`(?<=\b(?:phone|tel|telephone|telefon|mobile|handy|cell|whatsapp|call me|text me|ring me)\b[^\p{N}\n]{0,16})\d{7,12}${AFTER}`,
      "iu",
    ),
  },
];
