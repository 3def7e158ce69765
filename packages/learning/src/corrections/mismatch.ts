/**
 * Metrics of the distance between sampler and trainer, which help to explain a collapse. Not a correction.
 *
 * Source: the diagnostics of verl's rollout correction; k1 to k3 after Schulman 2020, "Approximating KL
 * Divergence".
 */
import { klEstimate } from "../kl/kl-estimators.ts";
import { clampedRatio } from "../log-ratio.ts";
import { finiteAt, forEachLossToken, requireRows } from "../token-rows.ts";
import type { CorrectionBatch } from "./correction.ts";

/** Means over the loss tokens; KL(behavior ‖ proximal) in nats; all 0 without tokens. */
export function mismatchMetrics(batch: CorrectionBatch): {
  readonly mismatchK1: number;
  readonly mismatchK2: number;
  readonly mismatchK3: number;
  readonly mismatchAbsolute: number;
  /** mean ratio² − 1. */
  readonly mismatchChiSquared: number;
} {
  const { lossMask, proximalLogProbs, behaviorLogProbs } = batch;
  requireRows(lossMask, { proximalLogProbs, behaviorLogProbs });
  const sums = { k1: 0, k2: 0, k3: 0, absolute: 0, squares: 0 };
  let count = 0;
  forEachLossToken(lossMask, (b, t) => {
    const gap =
      finiteAt(behaviorLogProbs, "behaviorLogProbs", b, t) -
      finiteAt(proximalLogProbs, "proximalLogProbs", b, t);
    count += 1;
    sums.k1 += gap;
    sums.k2 += klEstimate("k2", gap);
    sums.k3 += klEstimate("k3", gap);
    sums.absolute += Math.abs(gap);
    sums.squares += clampedRatio(-2 * gap);
  });
  const mean = (sum: number): number => (count === 0 ? 0 : sum / count);
  return {
    mismatchK1: mean(sums.k1),
    mismatchK2: mean(sums.k2),
    mismatchK3: mean(sums.k3),
    mismatchAbsolute: mean(sums.absolute),
    mismatchChiSquared: count === 0 ? 0 : sums.squares / count - 1,
  };
}
