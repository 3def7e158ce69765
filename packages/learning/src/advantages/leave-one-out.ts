/**
 * `loo`: each rollout is compared with the mean of the others, an unbiased baseline. GRPO's mean includes the
 * rollout itself, which shrinks its advantage by (G − 1)/G.
 *
 * Source: Ahmadian et al. 2024, "Back to Basics" (RLOO), arXiv:2402.14740
 */
import { requireGroup, sumOf } from "../statistics.ts";
import { advantagePart, byRewards, type GroupPart, reputationsOf } from "./credit.ts";

/**
 * Leave-one-out advantages of one group.
 *
 * @param rewards - `[G]` returns of the rollouts of one task.
 * @param weights - `[G]` weight above 0 of each rollout in the means; default 1.
 * @returns `[G]` advantages. With equal weights they sum to 0, and are G/(G − 1) times reward − mean.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`.
 */
export function leaveOneOutAdvantages(
  rewards: readonly number[],
  weights: readonly number[] = rewards.map(() => 1),
): number[] {
  requireGroup(rewards);
  const sum = sumOf(rewards.map((reward, i) => reward * (weights[i] ?? 1)));
  const all = sumOf(weights);
  return rewards.map((reward, i) => {
    const own = weights[i] ?? 1;
    return reward - (sum - own * reward) / (all - own);
  });
}

/** `loo`: r − mean of the others. */
export function leaveOneOut(): GroupPart {
  return advantagePart("loo", "group", (groups) =>
    byRewards(groups, (rewards, trajectories) =>
      leaveOneOutAdvantages(rewards, reputationsOf(trajectories)),
    ),
  );
}
