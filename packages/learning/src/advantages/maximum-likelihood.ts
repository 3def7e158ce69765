/**
 * MaxRL: the group mean is the baseline and the divisor, so a task that is solved with probability p is
 * weighted by 1/p, as in its maximum-likelihood gradient. For rewards of success, not for costs.
 *
 * Source: Tajwar et al. 2026, "Maximum Likelihood Reinforcement Learning", as in prime-rl 559b447.
 */
import { WaggleError } from "@waggle/protocol";
import { meanOf, requireGroup } from "../statistics.ts";
import { advantagePart, byRewards, type GroupPart } from "./credit.ts";

/**
 * MaxRL advantages of one group.
 *
 * @param rewards - `[G]` non-negative returns of the rollouts of one task.
 * @returns `[G]` (reward − mean)/mean; all 0 if every reward is 0.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`, `INVALID_ARGUMENT` for a negative reward.
 */
export function maximumLikelihoodAdvantages(rewards: readonly number[]): number[] {
  requireGroup(rewards);
  const negative = rewards.find((reward) => reward < 0);
  if (negative !== undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a reward is ${negative}, and MaxRL needs rewards of at least 0; shift them or choose another estimator`,
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
