/**
 * `duration`: an asynchronous learner sees fast actions more often than slow ones. Weights proportional to
 * duration restore the share of slow, good actions.
 *
 * Source: Yang et al. 2025, "Reinforcement Learning for Machine Learning Engineering Agents",
 * arXiv:2509.01684
 * Differs from it: weights have mean 1 over the batch, which preserves the meaning of the learning rate, and
 * are capped, which keeps one stuck tool from dominating the batch.
 */
import { WaggleError } from "@waggle/protocol";
import type { RewardedTrajectory } from "../composition/part.ts";
import { meanOf, requireSameLength } from "../statistics.ts";
import { advantagePart, byTurns, type GroupPart } from "./credit.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";

/**
 * Advantages weighted by the duration of their actions.
 *
 * @param advantages - `[N]` of actions.
 * @param durationsMs - `[N]` > 0, wall time of each action, its tools included.
 * @param cap - largest weight before rescaling, as a multiple of the mean. Default 10.
 * @returns `[N]` advantage times weight; the weights have mean 1.
 */
export function durationWeightedAdvantages(
  advantages: readonly number[],
  durationsMs: readonly number[],
  cap: number = 10,
): number[] {
  requireSameLength("durationsMs", durationsMs.length, "advantages", advantages.length);
  const bad = durationsMs.find((duration) => !(duration > 0 && Number.isFinite(duration)));
  if (bad !== undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a duration must be a positive number of milliseconds, got ${bad}; measure the action or leave it out`,
    );
  }
  const mean = meanOf(durationsMs);
  const capped = durationsMs.map((duration) => Math.min(duration / mean, cap));
  const scale = meanOf(capped);
  return advantages.map((advantage, i) => (advantage * capped[i]!) / scale);
}

/** `duration`: weights turns by their duration, so fast ones do not dominate the sum. */
export function durationWeighted(
  secondsOf: (rewarded: RewardedTrajectory, turn: number) => number,
): GroupPart {
  return advantagePart("duration", "group", (groups) =>
    byTurns(groups, (trajectories) => {
      const ofGroup = groupRelativeAdvantages(trajectories.map(({ reward }) => reward.total));
      return trajectories.map((rewarded, i) =>
        rewarded.trajectory.turns.length === 0
          ? []
          : durationWeightedAdvantages(
              rewarded.trajectory.turns.map(() => ofGroup[i] as number),
              rewarded.trajectory.turns.map((_, turn) => 1000 * secondsOf(rewarded, turn)),
            ),
      );
    }),
  );
}
