import { luhnRemainder } from "./check-digits.ts";
import { whole } from "./rule.ts";
import type { DetectionRule } from "./rule.ts";
import { AFTER, BEFORE, digitsOf } from "./surroundings.ts";

/** Digits of the card networks by length. Amex has 15, Diners 14. */
const NETWORK = /^(?:4\d{15}|4\d{18}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:5|6|2[2-7]|35)\d+)$/;

/**
 * Card numbers with a valid check digit. 13 digits are left out: few cards had that length, while barcodes and times in
 * milliseconds often do.
 */
export const CARD_RULES: readonly DetectionRule[] = [
  whole(
    "CARD",
    new RegExp(String.raw`${BEFORE}[2-6]\d{3}(?:[ .\-\u00a0\n]?\d){10,15}${AFTER}`, "u"),
    (match) => {
      const digits = digitsOf(match);
      const isLong = digits.length > 15 || /^3[04678]/.test(digits);
      return isLong && NETWORK.test(digits) && luhnRemainder(digits) === 0;
    },
  ),
];
