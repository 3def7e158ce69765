/**
 * `weighted`: weights of a regression on actions, larger where an action was better than expected.
 * Not a policy gradient: every weight is positive, nothing is pushed away.
 *
 * Source: Peng et al. 2019, "Advantage-Weighted Regression", arXiv:1910.00177; reward
 * weighting as in Qu et al. 2024, "Recursive Introspection" (RISE), arXiv:2407.18219.
 */
import { requireFiniteRewards, requireInside, sumOf } from "../statistics.ts";

/**
 * `[N]` exp(A / temperature), at most `cap`, scaled to a mean of 1.
 *
 * @param temperature - > 0, in units of the advantage: small trusts the best alone.
 */
export function exponentialWeights(
  advantages: readonly number[],
  temperature: number,
  cap: number = 20,
): number[] {
  requireFiniteRewards(advantages);
  requireInside("temperature", temperature, Number.MIN_VALUE, Number.MAX_VALUE);
  const weights = advantages.map((advantage) => Math.min(Math.exp(advantage / temperature), cap));
  const scale = weights.length / sumOf(weights);
  return weights.map((weight) => weight * scale);
}
