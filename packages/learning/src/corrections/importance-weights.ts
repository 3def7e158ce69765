/**
 * Truncated importance weights: a correction for tokens that were sampled by another policy (older, or with
 * other numerics) than the one being updated. The weights are constants of the loss: no derivative flows
 * through them. The part `tis`.
 *
 * Source: Ionides 2008, "Truncated Importance Sampling"; for language models Yao et al. 2025, "Your Efficient
 * RL Framework Secretly Brings You Off-Policy RL Training" (TIS). Three policies as in Hilton et al. 2022,
 * arXiv:2110.00641, and Fu et al. 2025, "AReaL", arXiv:2505.24298.
 */
import { definePart, option } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { clampedRatio } from "../log-ratio.ts";
import { lossPart, withTokenWeights } from "../losses/loss-part.ts";
import { sequenceLogRatios } from "../losses/policy/sequence-log-ratios.ts";
import { finiteAt, forEachLossToken, type LossMask, requireRows, zeroRows } from "../token-rows.ts";
import type { CorrectionBatch } from "./correction.ts";
import { effectiveSampleSize } from "./effective-sample-size.ts";

/** Weights with their metrics. */
export type ImportanceWeights = {
  /** `[B][T]` min(proximal / behavior, cap); 0 outside the mask. */
  readonly weights: readonly Float64Array[];
  /** Over the given tokens; not additive over microbatches. Without tokens all are 1 or 0. */
  readonly metrics: {
    readonly importanceWeightMean: number;
    /** Share of tokens whose weight was cut at the cap. */
    readonly importanceWeightTruncated: number;
    /** (Σw)² / (N Σw²), in (0, 1]; below 0.5 is an alarm. */
    readonly effectiveSampleSize: number;
  };
};

/**
 * min(exp(proximal − behavior), cap) per token, log-ratio clamped to ±20.
 *
 * @param cap - largest weight, > 0; 2 is usual.
 */
export function truncatedImportanceWeights(batch: CorrectionBatch, cap: number): ImportanceWeights {
  const { lossMask, proximalLogProbs, behaviorLogProbs } = batch;
  requireRows(lossMask, { proximalLogProbs, behaviorLogProbs });
  return truncatedWeights(lossMask, cap, (b, t) =>
    clampedRatio(
      finiteAt(proximalLogProbs, "proximalLogProbs", b, t) -
        finiteAt(behaviorLogProbs, "behaviorLogProbs", b, t),
    ),
  );
}

/**
 * min(exp(Σ over the sequence of proximal − behavior), cap) at each token of a sequence: unbiased for rewards
 * of whole sequences; its variance grows with their length.
 *
 * @param cap - largest weight, > 0; 2 to 10 are usual.
 */
export function truncatedSequenceWeights(batch: CorrectionBatch, cap: number): ImportanceWeights {
  const { lossMask, proximalLogProbs, behaviorLogProbs } = batch;
  requireRows(lossMask, { proximalLogProbs, behaviorLogProbs });
  const ratios = sequenceLogRatios(lossMask, proximalLogProbs, behaviorLogProbs).map(
    ({ sumLogRatio }) => clampedRatio(sumLogRatio),
  );
  return truncatedWeights(lossMask, cap, (b) => ratios[b] as number);
}

function truncatedWeights(
  lossMask: LossMask,
  cap: number,
  ratioAt: (b: number, t: number) => number,
): ImportanceWeights {
  const weights = zeroRows(lossMask);
  let count = 0;
  let sum = 0;
  let truncated = 0;
  forEachLossToken(lossMask, (b, t) => {
    const ratio = ratioAt(b, t);
    const weight = Math.min(ratio, cap);
    (weights[b] as Float64Array)[t] = weight;
    count += 1;
    sum += weight;
    if (ratio > cap) truncated += 1;
  });
  return {
    weights,
    metrics: {
      importanceWeightMean: count === 0 ? 1 : sum / count,
      importanceWeightTruncated: count === 0 ? 0 : truncated / count,
      effectiveSampleSize: effectiveSampleSize(weights, lossMask),
    },
  };
}

const RATIOS = ["token", "sequence"] as const;

function tokensOf(lossMask: LossMask): number {
  let count = 0;
  forEachLossToken(lossMask, () => {
    count += 1;
  });
  return count;
}

/**
 * `tis`: `inner` with each token weighted by min(proximal / behavior, cap), where the ratio is the token's own or
 * that of its sequence. Defaults: cap 2, the token's own. Metric `importanceWeightTruncated`: share of tokens whose
 * weight was cut.
 */
export function truncatedImportance<N extends StateName>(
  inner: LossPart<N>,
  cap?: number,
  ratioOf?: (typeof RATIOS)[number],
): LossPart<N> {
  return definePart(
    { weightCap: option(cap, 2), weightRatio: option(ratioOf, "token", RATIOS) },
    (given, [loss]) => {
      const weigh =
        given.weightRatio === "token" ? truncatedImportanceWeights : truncatedSequenceWeights;
      return lossPart(
        "tis",
        (minibatch, context) => {
          const { weights, metrics } = weigh(minibatch, given.weightCap);
          const result = loss.compute(withTokenWeights(minibatch, weights), context);
          // Additive over microbatches, as the metrics of the inner loss are.
          const share = tokensOf(minibatch.lossMask) / minibatch.tokenCount;
          const importanceWeightTruncated = metrics.importanceWeightTruncated * share;
          return { ...result, metrics: { ...result.metrics, importanceWeightTruncated } };
        },
        { ...loss, corrects: true, around: [loss] },
      );
    },
    [inner],
  );
}
