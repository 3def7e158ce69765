/**
 * Tests whether paired differences are above 0 by flipping their signs. Exact, without assumptions about the
 * distribution. Each difference must come from an independent unit, such as a seed. With n of them, p cannot
 * be below 1 / 2ⁿ.
 *
 * Source: Fisher 1935, "The Design of Experiments", section 21.
 */
import { WaggleError } from "@waggle/protocol";

/** Limit of differences, because all sign patterns are enumerated. */
const MAX_DIFFERENCES = 20;

/**
 * @param differences - `[n]`, 1 ≤ n ≤ 20.
 * @returns the share of the 2ⁿ sign patterns whose sum is at least the observed one: one-sided p.
 * @throws WaggleError `INVALID_ARGUMENT` for none or more than 20 differences.
 */
export function signFlipTest(differences: readonly number[]): number {
  const n = differences.length;
  if (n < 1 || n > MAX_DIFFERENCES) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a sign-flip test takes 1 to ${MAX_DIFFERENCES} differences, and there are ${n}; change the number of seeds`,
    );
  }
  const sum = (signs: number): number =>
    differences.reduce((all, each, i) => all + ((signs >> i) & 1 ? -each : each), 0);
  const observed = sum(0);
  // Sums that differ only by rounding count as equal.
  const slack = 1e-12 * differences.reduce((all, each) => all + Math.abs(each), 0);
  let atLeast = 0;
  for (let signs = 0; signs < 2 ** n; signs += 1) if (sum(signs) >= observed - slack) atLeast += 1;
  return atLeast / 2 ** n;
}

/** Two-sided p: twice the smaller of the two one-sided values, at most 1. Throws like `signFlipTest`. */
export function twoSidedSignFlipTest(differences: readonly number[]): number {
  const opposite = differences.map((difference) => -difference);
  return Math.min(1, 2 * Math.min(signFlipTest(differences), signFlipTest(opposite)));
}
