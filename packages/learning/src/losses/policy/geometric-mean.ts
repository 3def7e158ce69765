/**
 * A sequence's ratio is the geometric mean of its clipped token ratios. Outliers are clipped per token in log
 * space, so no single token dominates a sequence.
 *
 * Source: Zhao et al. 2025, "Geometric-Mean Policy Optimization" (GMPO), arXiv:2507.20673, equation 4.
 */
import { WaggleError } from "@waggle/protocol";
import { definePart, option } from "../../composition/part-options.ts";
import type { LossPart, Minibatch } from "../../composition/part.ts";
import { clampedRatio } from "../../log-ratio.ts";
import type { LossResult } from "../../loss.ts";
import {
  finiteAt,
  type LossMask,
  requireRows,
  requireSequences,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { type AggregationOption, resolvedShares, sequenceShares } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { sequenceLogRatios } from "./sequence-log-ratios.ts";

/** A minibatch with one advantage and one weight per sequence. */
export type SequencePolicyBatch = {
  readonly lossMask: LossMask;
  /** `[B]`. */
  readonly sequenceAdvantages: ArrayLike<number>;
  readonly policyLogProbs: TokenRows;
  readonly proximalLogProbs: TokenRows;
  /** `[B]` detached; absent = 1. */
  readonly sequenceWeights?: ArrayLike<number> | undefined;
};

/**
 * Σ over sequences of w · −A·exp(mean of the token log-ratios, each cut at ±logBound on the side that its
 * advantage rewards).
 *
 * @param logBound - in nats; 0.4 is the published value.
 */
export function geometricMeanSurrogate(
  batch: SequencePolicyBatch,
  logBound: number = 0.4,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, sequenceAdvantages, policyLogProbs, proximalLogProbs, sequenceWeights } = batch;
  requireRows(lossMask, { policyLogProbs, proximalLogProbs });
  requireSequences(lossMask, { sequenceAdvantages, sequenceWeights });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const sequenceShare = sequenceShares(lossMask, shares);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let clippedTokens = 0;
  for (const [b, { tokens }] of sequenceLogRatios(
    lossMask,
    policyLogProbs,
    proximalLogProbs,
  ).entries()) {
    const advantage = sequenceAdvantages[b] as number;
    const side = advantage > 0 ? 1 : -1;
    const logRatios = tokens.map(
      (t) =>
        finiteAt(policyLogProbs, "policyLogProbs", b, t) -
        finiteAt(proximalLogProbs, "proximalLogProbs", b, t),
    );
    const isCut = logRatios.map((logRatio) => side * logRatio > logBound);
    const sum = logRatios.reduce((total, x, i) => total + (isCut[i] ? side * logBound : x), 0);
    const scale =
      (sequenceShare[b] as number) *
      (sequenceWeights === undefined ? 1 : (sequenceWeights[b] as number));
    const value = tokens.length === 0 ? 0 : -advantage * clampedRatio(sum / tokens.length) * scale;
    loss += value;
    for (const [i, t] of tokens.entries()) {
      (logProb[b] as Float64Array)[t] = isCut[i] ? 0 : value / tokens.length;
      clippedTokens += isCut[i] ? 1 : 0;
    }
  }
  return { loss, derivatives: { logProb }, metrics: { clipFraction: clippedTokens * perToken } };
}

/** A loss with one term per sequence; token weights cannot wrap it. */
type SequenceLoss = LossPart & { readonly bySequence: true };

/** `gmpo`: a sequence's ratio is the geometric mean of its token ratios, each cut at ±`logBound` nats. */
export function geometricMean(logBound?: number): SequenceLoss {
  return definePart({ logBound: option(logBound, 0.4) }, (given): SequenceLoss => {
    const part = lossPart("gmpo", (minibatch) =>
      geometricMeanSurrogate(
        {
          ...minibatch,
          sequenceAdvantages: ofSequences(minibatch, minibatch.advantages, "gmpo", "advantage"),
          sequenceWeights: ofSequences(minibatch, minibatch.weights, "gmpo", "weight"),
        },
        given.logBound,
        minibatch,
      ),
    );
    return { ...part, bySequence: true };
  });
}

/**
 * `[B]` the common value of a sequence's loss tokens; 0 for a sequence without any.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if they differ.
 */
export function ofSequences(
  { lossMask }: Minibatch,
  rows: TokenRows,
  part: string,
  what: string,
): Float64Array {
  return Float64Array.from(lossMask, (mask, b) => {
    const values = new Set(mask.flatMap((counts, t) => (counts ? [rows[b]?.[t] ?? 0] : [])));
    if (values.size > 1) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `loss ${part} needs one ${what} per sequence, got ${values.size} different ones in row ${b}; choose parts that treat all tokens of a sequence alike`,
      );
    }
    return [...values][0] ?? 0;
  });
}
