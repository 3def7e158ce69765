/**
 * Metrics of the distance between sampler and trainer, which help to explain a collapse. Not a correction.
 *
 * Source: the diagnostics of verl's rollout correction; k1 to k3 after Schulman 2020, "Approximating KL
 * Divergence".
 */
import { klEstimate } from "../kl/kl-estimators.ts";
import { clampedRatio } from "../log-ratio.ts";
import { meanOf } from "../statistics.ts";
import { finiteAt, forEachLossToken, requireRows, type TokenRows } from "../token-rows.ts";
import type { CorrectionBatch } from "./correction.ts";
import { truncatedImportanceWeights } from "./importance-weights.ts";

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

/** Cap of the importance weights in metrics; a recipe may use another. */
const WEIGHT_CAP = 2;

/**
 * Metrics that separate numerical error (recorded against re-scored log-probs) from staleness (proximal
 * against re-scored).
 *
 * @param logProbs.recorded - `[B][T]` log-probs as the sampler recorded them.
 * @param logProbs.rescored - `[B][T]` the trainer's own at the version that sampled.
 */
export function offPolicyMetrics(
  batch: CorrectionBatch,
  logProbs: { readonly recorded: TokenRows; readonly rescored: TokenRows },
): { readonly [name: string]: number } {
  const gaps: number[] = [];
  const drifts: number[] = [];
  forEachLossToken(batch.lossMask, (b, t) => {
    const center = logProbs.rescored[b]?.[t] ?? Number.NaN;
    gaps.push(Math.abs((logProbs.recorded[b]?.[t] ?? Number.NaN) - center));
    drifts.push(Math.abs((batch.proximalLogProbs[b]?.[t] ?? Number.NaN) - center));
  });
  return {
    ...truncatedImportanceWeights(batch, WEIGHT_CAP).metrics,
    logProbGapMean: meanOf(gaps),
    logProbGapMax: gaps.reduce((a, b) => Math.max(a, b), 0),
    policyDriftMean: meanOf(drifts),
  };
}
