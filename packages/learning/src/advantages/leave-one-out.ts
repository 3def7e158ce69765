/**
 * `loo`: each rollout is compared with the mean of the others, an unbiased baseline. GRPO's mean includes the
 * rollout itself, which shrinks its advantage by (G − 1)/G.
 *
 * Source: Ahmadian et al. 2024, "Back to Basics" (RLOO), arXiv:2402.14740
 */
import { requireGroup, sumOf } from "../statistics.ts";
import { advantagePart, byRewards, type GroupPart } from "./credit.ts";

/**
 * Leave-one-out advantages of one group.
 *
 * @param rewards - `[G]` returns of the rollouts of one task.
 * @returns `[G]` advantages that sum to 0, G/(G − 1) times reward − mean.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`.
 */
export function leaveOneOutAdvantages(rewards: readonly number[]): number[] {
  requireGroup(rewards);
  const sum = sumOf(rewards);
  return rewards.map((reward) => reward - (sum - reward) / (rewards.length - 1));
}

/** `loo`: r − mean of the others. */
export function leaveOneOut(): GroupPart {
  return advantagePart("loo", "group", (groups) => byRewards(groups, leaveOneOutAdvantages));
}
