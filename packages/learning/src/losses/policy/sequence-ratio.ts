/**
 * Clipping of whole sequences by the geometric mean of their token ratios. A reward per sequence gets a
 * correction per sequence, which is less noisy than one per token. The part `seq-ratio`.
 *
 * Sources: Zheng et al. 2025, "Group Sequence Policy Optimization" (GSPO), arXiv:2507.18071, equations 5 and
 * 7 (sequence form), 14 (token form); times the length, so that a mean over tokens does not favor short
 * answers, Liu et al. 2026, "Length-Unbiased Sequence Policy Optimization" (LUSPO), arXiv:2602.05261.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import { clampedRatio, clampedRatioSlope } from "../../log-ratio.ts";
import type { LossResult } from "../../loss.ts";
import { finiteAt, requireRows, zeroRows } from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { clippedTerm } from "./clipped-surrogate.ts";
import type { ProximalBatch } from "./policy-loss.ts";
import type { RatioBounds } from "./ratio-bounds.ts";
import { sequenceLogRatios } from "./sequence-log-ratios.ts";

/** Form and aggregation of the sequence ratio. */
export type SequenceRatioOptions = AggregationOption & {
  /**
   * `sequence`: each token's derivative is its share of the sequence's. `token`: the value is the same, but
   * each token carries the derivative of its own advantage, so advantages may differ within a sequence.
   * Default `sequence`.
   */
  readonly form?: "sequence" | "token" | undefined;
  /** Multiplies each sequence's term by its number of loss tokens (LUSPO). Default false. */
  readonly timesLength?: boolean | undefined;
};

/**
 * Σ w·max(−A·s, −A·clip(s)) with s = exp(mean over the sequence of log π_θ − log π_proximal).
 *
 * @param bounds - much narrower than for tokens: 3e-4 and 4e-4 (GSPO), 2e-3 and 2.5e-3 (LUSPO).
 */
export function sequenceRatioSurrogate(
  batch: ProximalBatch,
  bounds: RatioBounds,
  options: SequenceRatioOptions = {},
): LossResult {
  const { lossMask, advantages, policyLogProbs, proximalLogProbs, weights } = batch;
  const { form = "sequence", timesLength = false } = options;
  requireRows(lossMask, { advantages, policyLogProbs, proximalLogProbs, weights });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let clippedTokens = 0;
  let ratios = 0;
  const sequences = sequenceLogRatios(lossMask, policyLogProbs, proximalLogProbs);
  for (const [b, { meanLogRatio, tokens }] of sequences.entries()) {
    const ratio = clampedRatio(meanLogRatio);
    const ratioSlope = clampedRatioSlope(meanLogRatio);
    const slopes = logProb[b] as Float64Array;
    let sequenceSlope = 0;
    for (const t of tokens) {
      const advantage = finiteAt(advantages, "advantages", b, t);
      const term = clippedTerm({ advantage, ratio, ratioSlope }, bounds);
      const scale =
        finiteAt(shares, "shares", b, t) *
        (weights === undefined ? 1 : finiteAt(weights, "weights", b, t)) *
        (timesLength ? tokens.length : 1);
      loss += scale * term.value;
      sequenceSlope += (scale * term.slope) / tokens.length;
      if (form === "token") slopes[t] = scale * term.slope;
      clippedTokens += term.clipped === true ? 1 : 0;
      ratios += ratio;
    }
    if (form === "sequence") for (const t of tokens) slopes[t] = sequenceSlope;
  }
  return {
    loss,
    derivatives: { logProb },
    metrics: { clipFraction: clippedTokens * perToken, sequenceRatioMean: ratios * perToken },
  };
}

/** `seq-ratio`: one ratio per sequence, from the mean of its token log-ratios. */
export function sequenceRatio(lower?: number, upper?: number): LossPart {
  return definePart(
    { sequenceRatioLower: option(lower, 3e-4), sequenceRatioUpper: option(upper, 4e-4) },
    ({ sequenceRatioLower: lower, sequenceRatioUpper: upper }) =>
      lossPart("seq-ratio", (minibatch) =>
        sequenceRatioSurrogate(minibatch, { lower, upper }, minibatch),
      ),
  );
}
