/**
 * `redistribute`: distributes an outcome over the steps by estimated contributions; the sum is always the
 * outcome. If all contributions are 0, the last step gets the outcome.
 *
 * Source: Wang et al. 2025, "SPA-RL: Stepwise Progress Attribution", arXiv:2505.20732.
 * Differs from it: contributions are shifted, not only trained, to sum to the outcome.
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { PartContext, RewardPart } from "../composition/part.ts";
import {
  featuresOf,
  type ProgressEstimator,
  stepContributions,
} from "../states/progress-estimator.ts";
import { requireFiniteRewards, requireInside, sumOf } from "../statistics.ts";
import { rewardPart } from "./reward-part.ts";

/**
 * `[steps]` rewards that sum to the outcome: each contribution plus an equal share of the difference.
 *
 * @param contributions - `[steps]` estimates of any sign.
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

/**
 * The outcome, distributed over turns by the estimator; all on the last turn until the estimator is fitted.
 */
export function attributedProgress(): RewardPart<"progress-est"> {
  return {
    slot: "reward",
    part: "redistribute",
    needs: ["progress-est"],
    rewards: ({ trajectories }, { state }) =>
      trajectories.map((trajectory) => {
        const { reward } = trajectory.verification;
        if (trajectory.turns.length === 0) return { total: reward };
        const estimator = state["progress-est"] as ProgressEstimator;
        const contributions = stepContributions(estimator, featuresOf(trajectory));
        return { total: reward, turnRewards: redistributedRewards(reward, contributions) };
      }),
  };
}

/** `redistribute`: distributes the outcome over the turns by their contributions. */
export function redistribute(
  contributionsOf: (trajectory: JudgedTrajectory, context: PartContext) => readonly number[],
): RewardPart {
  return rewardPart("redistribute", (trajectory, context) => {
    const { reward } = trajectory.verification;
    if (trajectory.turns.length === 0) return { total: reward };
    return {
      total: reward,
      turnRewards: redistributedRewards(reward, contributionsOf(trajectory, context)),
    };
  });
}
