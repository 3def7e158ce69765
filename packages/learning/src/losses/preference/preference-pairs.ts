/**
 * Common frame of losses on pairs of a chosen and a rejected side: sums of log-probs over the tokens of each
 * side, and derivatives distributed over those tokens. A side is whole sequences (answers, trajectories) or
 * spans of them (steps), so the unit of a preference is data, not another loss.
 */
import { WaggleError } from "@waggle/protocol";
import type { Minibatch } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import {
  finiteAt,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { present } from "../loss-part.ts";

/** The loss tokens of a row in `[start, end)`; without bounds, all of the row. */
export type Segment = {
  readonly row: number;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
};

/** One segment per side as a rule; a trajectory of several samples has one segment for each. */
export type PreferencePair = {
  readonly chosen: readonly Segment[];
  readonly rejected: readonly Segment[];
  /** Weight of the pair (a margin of values, a confidence), detached; absent = 1. */
  readonly weight?: number | undefined;
};

/** A minibatch with its pairs. */
export type PreferenceBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  readonly referenceLogProbs: TokenRows;
  readonly pairs: readonly PreferencePair[];
};

/** How log-probs of a side are combined: their sum, or their mean over its tokens. */
export type SideMeasure = "sum" | "mean";

/** One side of a pair. */
export type SideLogProbs = {
  readonly policy: number;
  readonly reference: number;
};

/** A pair's term and its derivatives with respect to both policy log-probs. */
export type PairTerm = {
  readonly value: number;
  readonly chosenSlope: number;
  readonly rejectedSlope: number;
};

/** Pairs of the whole minibatch. A microbatch contains whole pairs. */
export type PairCountOption = { readonly pairCount?: number | undefined };

/** Pairs of whole rows, as (chosen, rejected). */
export function rowPairs(pairs: readonly (readonly [number, number])[]): PreferencePair[] {
  return pairs.map(([chosen, rejected]) => ({
    chosen: [{ row: chosen }],
    rejected: [{ row: rejected }],
  }));
}

/**
 * Mean over pairs of weight · term.
 *
 * @returns metrics over pairs: `preferenceAccuracy`, the share whose margin over the reference favors
 *   the chosen side, `preferenceMargin`, `chosenLogRatio` and `rejectedLogRatio` in nats.
 */
export function preferenceLoss(
  batch: PreferenceBatch,
  measure: SideMeasure,
  { pairCount = batch.pairs.length }: PairCountOption,
  term: (chosen: SideLogProbs, rejected: SideLogProbs) => PairTerm,
): LossResult {
  const { lossMask, policyLogProbs, referenceLogProbs, pairs } = batch;
  requireRows(lossMask, { policyLogProbs, referenceLogProbs });
  const logProb = zeroRows(lossMask);
  const share = pairCount === 0 ? 0 : 1 / pairCount;
  const totals = { loss: 0, right: 0, chosen: 0, rejected: 0 };
  for (const { chosen, rejected, weight = 1 } of pairs) {
    const sides = [chosen, rejected].map((segments) => sideOf(batch, segments, measure));
    const [better, worse] = sides as [Side, Side];
    const { value, chosenSlope, rejectedSlope } = term(better, worse);
    const scale = share * weight;
    totals.loss += scale * value;
    const [chosenRatio, rejectedRatio] = [better, worse].map((s) => s.policy - s.reference) as [
      number,
      number,
    ];
    totals.right += chosenRatio > rejectedRatio ? share : 0;
    totals.chosen += chosenRatio * share;
    totals.rejected += rejectedRatio * share;
    for (const [side, slope] of [
      [better, chosenSlope],
      [worse, rejectedSlope],
    ] as const) {
      for (const [b, t] of side.tokens) {
        (logProb[b] as Float64Array)[t] = (logProb[b]?.[t] ?? 0) + (scale * slope) / side.divisor;
      }
    }
  }
  return {
    loss: totals.loss,
    derivatives: { logProb },
    metrics: {
      preferenceAccuracy: totals.right,
      preferenceMargin: totals.chosen - totals.rejected,
      chosenLogRatio: totals.chosen,
      rejectedLogRatio: totals.rejected,
    },
  };
}

/** The loss tokens of the segments, as (row, token). */
export function segmentTokens(
  lossMask: LossMask,
  segments: readonly Segment[],
): (readonly [number, number])[] {
  return segments.flatMap(({ row, start = 0, end }) => {
    const mask = lossMask[row];
    if (mask === undefined || start < 0 || (end ?? 0) > mask.length) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `segment [${start}, ${end ?? "end"}) is outside row ${row}, which has ${mask?.length ?? 0} tokens; keep both sides of a pair in one microbatch`,
      );
    }
    return [...mask.keys()]
      .slice(start, end)
      .filter((t) => mask[t])
      .map((t) => [row, t] as const);
  });
}

type Side = SideLogProbs & {
  readonly tokens: readonly (readonly [number, number])[];
  readonly divisor: number;
};

function sideOf(batch: PreferenceBatch, segments: readonly Segment[], measure: SideMeasure): Side {
  const tokens = segmentTokens(batch.lossMask, segments);
  const divisor = measure === "sum" ? 1 : Math.max(1, tokens.length);
  const total = (rows: TokenRows, name: string): number =>
    tokens.reduce((sum, [b, t]) => sum + finiteAt(rows, name, b, t), 0) / divisor;
  return {
    policy: total(batch.policyLogProbs, "policyLogProbs"),
    reference: total(batch.referenceLogProbs, "referenceLogProbs"),
    tokens,
    divisor,
  };
}

/** The weight of a row: that of its first loss token; 1 without any. Filters that weigh tokens apart do not apply. */
export function rowWeight(
  { lossMask, weights }: Pick<Minibatch, "lossMask" | "weights">,
  row: number,
): number {
  return weights[row]?.[lossMask[row]?.indexOf(true) ?? -1] ?? 1;
}

/**
 * The pairs of a minibatch as whole rows, with the weights of the chosen sides.
 *
 * @throws WaggleError `CAPABILITY_MISSING` without a reference.
 */
export function batchOf(minibatch: Minibatch, part: string): PreferenceBatch {
  return {
    ...minibatch,
    referenceLogProbs: present(minibatch.referenceLogProbs, part, "a reference policy"),
    pairs: rowPairs(minibatch.pairs).map((pair, i) => ({
      ...pair,
      weight: rowWeight(minibatch, minibatch.pairs[i]?.[0] ?? -1),
    })),
  };
}
