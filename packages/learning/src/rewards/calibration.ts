/**
 * `calibration`: a proper scoring rule for stated confidence. The expected reward is largest if the
 * confidence equals the probability of being right.
 *
 * Source: Brier 1950; "The Confidence Dichotomy" (calibration reward for tool-use agents).
 */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { requireInside } from "../statistics.ts";
import { rewardPart } from "./reward-part.ts";

/** −(confidence − correct)², in [−1, 0]. */
export function calibrationReward(confidence: number, isCorrect: boolean): number {
  requireInside("confidence", confidence, 0, 1);
  return -((confidence - (isCorrect ? 1 : 0)) ** 2);
}

/** `calibration`: −(confidence − correct)², with the confidence computed from the trajectory. */
export function calibration(confidenceOf: (trajectory: JudgedTrajectory) => number): RewardPart {
  return rewardPart("calibration", (trajectory) => ({
    total: calibrationReward(confidenceOf(trajectory), trajectory.verification.success),
  }));
}

/** Confidence in [0, 1] from the sampled tokens of the last turn; 0 for a trajectory without a turn. */
export function sampledConfidence({ samples, turns }: JudgedTrajectory): number {
  const last = turns.at(-1);
  const logProbs = last === undefined ? undefined : samples[last.sample]?.behaviorLogProbs;
  if (last === undefined || logProbs === undefined || last.end <= last.start) return 0;
  let sum = 0;
  for (let t = last.start; t < last.end; t += 1) sum += logProbs[t] ?? 0;
  return Math.exp(sum / (last.end - last.start));
}
