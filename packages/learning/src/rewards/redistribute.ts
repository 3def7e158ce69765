/**
 * `redistribute`: an outcome spread over the steps that an estimator says made it, with a sum that is
 * the outcome whatever the estimator says. Zero contributions fall back to the last step: the plain
 * outcome.
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

/** The outcome, spread over turns by the estimator; all on the last turn while it knows nothing. */
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

/** `redistribute`: the outcome spread over the turns by what each contributed. */
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
