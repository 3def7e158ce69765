/** Further people who count, compare, add up and change what they have, and who greet, thank and complain. */
import type { SomeWordings } from "../../plain.ts";
import { COUNTING_CART_QUESTIONS } from "./cart-questions.ts";
import { COUNTING_COMPARED_PRICES } from "./compared-prices.ts";
import { COUNTING_COMPARED_RATINGS } from "./compared-ratings.ts";
import { COUNTING_EXCEPTIONS } from "./exceptions.ts";
import { COUNTING_KEPT_LINES } from "./kept-lines.ts";
import { COUNTING_LINE_FACTS } from "./line-facts.ts";
import { COUNTING_MEETINGS } from "./meetings.ts";
import { COUNTING_MISSING_REFERENTS } from "./missing-referents.ts";
import { COUNTING_MOODS } from "./moods.ts";
import { COUNTING_NUMBER_CHANGES } from "./number-changes.ts";
import { COUNTING_REMOVED_LINES } from "./removed-lines.ts";
import { COUNTING_SET_NUMBERS } from "./set-numbers.ts";
import { COUNTING_SUMS } from "./sums.ts";
import { COUNTING_SWAPS } from "./swaps.ts";
import { COUNTING_TOTALS_WITHOUT } from "./totals-without.ts";

/** The order decides which patterns are held out, so a new list goes to the end. */
export const COUNTING: readonly SomeWordings[] = [
  COUNTING_CART_QUESTIONS,
  COUNTING_COMPARED_PRICES,
  COUNTING_COMPARED_RATINGS,
  COUNTING_EXCEPTIONS,
  COUNTING_KEPT_LINES,
  { "in-cart-fact": Object.values(COUNTING_LINE_FACTS).flat() },
  COUNTING_MEETINGS,
  COUNTING_MISSING_REFERENTS,
  COUNTING_MOODS,
  { "relative-number": Object.values(COUNTING_NUMBER_CHANGES).flat() },
  COUNTING_REMOVED_LINES,
  COUNTING_SET_NUMBERS,
  COUNTING_SUMS,
  { "swap-by-category": Object.values(COUNTING_SWAPS).flat() },
  COUNTING_TOTALS_WITHOUT,
];
