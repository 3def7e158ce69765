/**
 * OPO: the minimum-variance baseline under the assumption that the squared gradient of a rollout grows with
 * its length. Not a length penalty: rewards do not change.
 *
 * Source: Hao et al. 2025, "On-Policy RL with Optimal Reward Baseline", arXiv:2505.23585
 */
import { WaggleError } from "@waggle/protocol";
import { sampledTokens } from "../composition/judged-trajectory.ts";
import { requireGroup, requireSameLength, sumOf } from "../statistics.ts";
import { advantagePart, byRewards, type GroupPart } from "./credit.ts";

/**
 * Rewards minus their length-weighted mean.
 *
 * @param rewards - `[G]` returns of the rollouts of one task.
 * @param lengths - `[G]` sampled tokens of each rollout, > 0; a shared prefix counts once.
 * @returns `[G]` advantages whose length-weighted sum is 0.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`, `SHAPE_MISMATCH`, `INVALID_ARGUMENT`.
 */
export function lengthWeightedAdvantages(
  rewards: readonly number[],
  lengths: readonly number[],
): number[] {
  requireGroup(rewards);
  requireSameLength("lengths", lengths.length, "rewards", rewards.length);
  const bad = lengths.find((length) => !(length > 0));
  if (bad !== undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a rollout has length ${bad}; drop rollouts without sampled tokens`,
    );
  }
  const baseline = sumOf(rewards.map((reward, i) => reward * lengths[i]!)) / sumOf(lengths);
  return rewards.map((reward) => reward - baseline);
}

/** `opo`: r − the length-weighted mean. */
export function lengthWeighted(): GroupPart {
  return advantagePart("opo", "group", (groups) =>
    byRewards(groups, (rewards, trajectories) =>
      lengthWeightedAdvantages(
        rewards,
        trajectories.map(({ trajectory }) => sampledTokens(trajectory)),
      ),
    ),
  );
}
