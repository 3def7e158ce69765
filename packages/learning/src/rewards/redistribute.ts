/**
 * `redistribute`: an outcome spread over the steps that an estimator says made it, with a sum that is
 * the outcome whatever the estimator says. Zero contributions fall back to the last step: the plain
 * outcome.
 *
 * Source: Wang et al. 2025, "SPA-RL: Stepwise Progress Attribution", arXiv:2505.20732.
 * Differs from it: contributions are shifted, not only trained, to sum to the outcome.
 */
import { requireFiniteRewards, requireInside, sumOf } from "../statistics.ts";

/**
 * `[steps]` rewards that sum to the outcome: each contribution plus an equal share of what is missing.
 *
 * @param contributions - `[steps]` estimates, any sign.
 */
export function redistributedRewards(outcome: number, contributions: readonly number[]): number[] {
  requireInside("number of steps", contributions.length, 1, Number.MAX_SAFE_INTEGER);
  requireFiniteRewards([outcome, ...contributions]);
  if (contributions.every((contribution) => contribution === 0)) {
    return contributions.map((_, t) => (t === contributions.length - 1 ? outcome : 0));
  }
  const share = (outcome - sumOf(contributions)) / contributions.length;
  return contributions.map((contribution) => contribution + share);
}
