/**
 * MaxRL: the group's mean divides as well as it centers, so that a task solved once in G weighs as
 * its maximum-likelihood gradient would, 1/p. For rewards of success, not for costs.
 *
 * Source: Tajwar et al. 2026, "Maximum Likelihood Reinforcement Learning", as in prime-rl 559b447.
 */
import { WaggleError } from "@waggle/protocol";
import { meanOf, requireGroup } from "../statistics.ts";
import { advantagePart, byRewards, type GroupPart } from "./credit.ts";

/**
 * @param rewards - `[G]` non-negative returns of the rollouts of one task.
 * @returns `[G]` (reward − mean)/mean; all 0 where every reward is 0.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`, `INVALID_ARGUMENT` for a negative reward.
 */
export function maximumLikelihoodAdvantages(rewards: readonly number[]): number[] {
  requireGroup(rewards);
  const negative = rewards.find((reward) => reward < 0);
  if (negative !== undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `rewards must not be negative where their mean divides, got ${negative}; shift them or choose another estimator`,
    );
  }
  const mean = meanOf(rewards);
  return rewards.map((reward) => (mean === 0 ? 0 : (reward - mean) / mean));
}

/** `maxrl`: (r − mean) / mean. */
export function maximumLikelihood(): GroupPart {
  return advantagePart("maxrl", "group", (groups) =>
    byRewards(groups, maximumLikelihoodAdvantages),
  );
}
