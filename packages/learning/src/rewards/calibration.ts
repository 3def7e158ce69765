/**
 * `calibration`: a proper score of stated confidence, so that honesty pays best: the expected reward is
 * largest where the confidence is the probability of being right.
 *
 * Source: Brier 1950; "The Confidence Dichotomy" (calibration reward for tool-use agents).
 */
import { requireInside } from "../statistics.ts";

/** −(confidence − correct)², in [−1, 0]. */
export function calibrationReward(confidence: number, isCorrect: boolean): number {
  requireInside("confidence", confidence, 0, 1);
  return -((confidence - (isCorrect ? 1 : 0)) ** 2);
}
