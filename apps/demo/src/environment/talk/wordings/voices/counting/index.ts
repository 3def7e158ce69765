/** Further people who count, compare, add up and change what they have, and who greet, thank and complain. */
import type { SomeWordings } from "../../plain.ts";
import { COUNTING_LINE_FACTS } from "./line-facts.ts";
import { COUNTING_NUMBER_CHANGES } from "./number-changes.ts";
import { COUNTING_SUMS } from "./sums.ts";
import { COUNTING_SWAPS } from "./swaps.ts";
import { COUNTING_TOTALS_WITHOUT } from "./totals-without.ts";

/** The order decides which patterns are held out, so a new list goes to the end. */
export const COUNTING: readonly SomeWordings[] = [
  { "in-cart-fact": Object.values(COUNTING_LINE_FACTS).flat() },
  { "relative-number": Object.values(COUNTING_NUMBER_CHANGES).flat() },
  COUNTING_SUMS,
  { "swap-by-category": Object.values(COUNTING_SWAPS).flat() },
  COUNTING_TOTALS_WITHOUT,
];
