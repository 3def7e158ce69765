/**
 * Whether paired differences are above 0, by turning the sign of each: exact, and without assuming a
 * shape. The unit is what was drawn anew, such as a seed; with n of them p cannot be below 1 / 2ⁿ.
 *
 * Source: Fisher 1935, "The Design of Experiments", section 21.
 */
import { WaggleError } from "@waggle/protocol";

/** All sign patterns are gone through. */
const MOST = 20;

/**
 * @param differences - `[n]`, 1 ≤ n ≤ 20.
 * @returns the share of the 2ⁿ sign patterns whose sum is at least the observed one: one-sided p.
 * @throws WaggleError `INVALID_ARGUMENT` for none or more than 20 differences.
 */
export function signFlipTest(differences: readonly number[]): number {
  const n = differences.length;
  if (n < 1 || n > MOST) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a sign test must have 1 to ${MOST} differences, got ${n}; run more seeds or fewer`,
    );
  }
  const sum = (signs: number): number =>
    differences.reduce((all, each, i) => all + ((signs >> i) & 1 ? -each : each), 0);
  const observed = sum(0);
  // Sums that differ by rounding alone are the same sum.
  const slack = 1e-12 * differences.reduce((all, each) => all + Math.abs(each), 0);
  let atLeast = 0;
  for (let signs = 0; signs < 2 ** n; signs += 1) if (sum(signs) >= observed - slack) atLeast += 1;
  return atLeast / 2 ** n;
}
