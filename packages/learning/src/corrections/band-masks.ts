/**
 * Masks that drop, instead of reweighting, what is outside a band of importance ratios: single tokens, or
 * sequences by their product or geometric mean; IcePop weights the tokens inside the band. Bounds are the
 * ratios themselves, lowest and highest, never negated logarithms.
 *
 * Sources: masked importance sampling and geometric masks as in verl's rollout correction and in SkyRL (0.99
 * to 1.01; products 0.5 to 2); IcePop, Ling Team 2025, "Every Step Evolves", arXiv:2510.18855.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { clampedRatio } from "../log-ratio.ts";
import type { AbsoluteBounds } from "../losses/policy/ratio-bounds.ts";
import { sequenceLogRatios } from "../losses/policy/sequence-log-ratios.ts";
import { finiteAt, requireRows } from "../token-rows.ts";
import { corrected, type TokenLoss } from "./corrected-loss.ts";
import { type Correction, type CorrectionBatch, keptSequences, keptTokens } from "./correction.ts";

/** 1 if a token's ratio proximal / behavior is in [lowest, highest], else 0. */
export function tokenBandMask(batch: CorrectionBatch, bounds: AbsoluteBounds): Correction {
  requireRows(batch.lossMask, {
    proximalLogProbs: batch.proximalLogProbs,
    behaviorLogProbs: batch.behaviorLogProbs,
  });
  return keptTokens(
    batch.lossMask,
    (b, t) => isInside(ratioAt(batch, b, t), bounds),
    "tokenBandKept",
  );
}

/** The ratio itself inside the band, 0 outside it. */
export function icePopWeights(batch: CorrectionBatch, bounds: AbsoluteBounds): Correction {
  const { weights, metrics } = tokenBandMask(batch, bounds);
  return {
    weights: weights.map((row, b) => row.map((kept, t) => (kept === 1 ? ratioAt(batch, b, t) : 0))),
    metrics: { icePopKept: metrics["tokenBandKept"] ?? 1 },
  };
}

/**
 * 1 for the tokens of sequences whose ratio is in the band.
 *
 * @param measure - `product` of the token ratios, or their `geometric-mean`, which does not depend on length.
 */
export function sequenceBandMask(
  batch: CorrectionBatch,
  bounds: AbsoluteBounds,
  measure: "product" | "geometric-mean",
): Correction {
  const { lossMask, proximalLogProbs, behaviorLogProbs } = batch;
  requireRows(lossMask, { proximalLogProbs, behaviorLogProbs });
  const isKept = sequenceLogRatios(lossMask, proximalLogProbs, behaviorLogProbs).map(
    ({ sumLogRatio, meanLogRatio }) =>
      isInside(clampedRatio(measure === "product" ? sumLogRatio : meanLogRatio), bounds),
  );
  return keptSequences(lossMask, isKept, "sequenceBandKept");
}

/**
 * 0 for every token of a sequence with one extreme token ratio: such a sequence was not sampled by the policy
 * that it names, or was damaged.
 *
 * @param bounds - wide; SkyRL uses 1e-4 and 100.
 */
export function vetoOutliers(
  batch: CorrectionBatch,
  bounds: AbsoluteBounds = { lowest: 1e-4, highest: 100 },
): Correction {
  requireRows(batch.lossMask, {
    proximalLogProbs: batch.proximalLogProbs,
    behaviorLogProbs: batch.behaviorLogProbs,
  });
  const isKept = batch.lossMask.map((row, b) =>
    row.every((kept, t) => !kept || isInside(ratioAt(batch, b, t), bounds)),
  );
  return keptSequences(batch.lossMask, isKept, "outlierVetoKept");
}

function ratioAt(
  { proximalLogProbs, behaviorLogProbs }: CorrectionBatch,
  b: number,
  t: number,
): number {
  return clampedRatio(
    finiteAt(proximalLogProbs, "proximalLogProbs", b, t) -
      finiteAt(behaviorLogProbs, "behaviorLogProbs", b, t),
  );
}

function isInside(ratio: number, { lowest, highest }: AbsoluteBounds): boolean {
  return ratio >= lowest && ratio <= highest;
}

/** `token-band`: `inner` without tokens whose ratio is outside the band. */
export function tokenBand<N extends StateName>(
  inner: TokenLoss<N>,
  lowest?: number,
  highest?: number,
): LossPart<N> {
  return definePart(
    { tokenBandLowest: option(lowest, 0.5), tokenBandHighest: option(highest, 2) },
    ({ tokenBandLowest: lowest, tokenBandHighest: highest }, [inner]) =>
      corrected("token-band", inner, (minibatch) => tokenBandMask(minibatch, { lowest, highest })),
    [inner],
  );
}

/** `icepop`: tokens inside the band are weighted by their ratio, the others are dropped. */
export function icePop<N extends StateName>(
  inner: TokenLoss<N>,
  lowest?: number,
  highest?: number,
): LossPart<N> {
  return definePart(
    { icePopLowest: option(lowest, 0.5), icePopHighest: option(highest, 5) },
    ({ icePopLowest: lowest, icePopHighest: highest }, [inner]) =>
      corrected("icepop", inner, (minibatch) => icePopWeights(minibatch, { lowest, highest })),
    [inner],
  );
}

/**
 * `seq-band`: `inner` without sequences whose ratio, the product of their token ratios, is outside the band.
 */
export function sequenceBand<N extends StateName>(
  inner: LossPart<N>,
  lowest?: number,
  highest?: number,
): LossPart<N> {
  return definePart(
    { sequenceBandLowest: option(lowest, 0.5), sequenceBandHighest: option(highest, 2) },
    ({ sequenceBandLowest: lowest, sequenceBandHighest: highest }, [inner]) =>
      corrected("seq-band", inner, (minibatch) =>
        sequenceBandMask(minibatch, { lowest, highest }, "product"),
      ),
    [inner],
  );
}

/** `geo-band`: like `seq-band`, with the geometric mean of the ratios, which does not depend on length. */
export function geometricBand<N extends StateName>(
  inner: LossPart<N>,
  lowest?: number,
  highest?: number,
): LossPart<N> {
  return definePart(
    { geometricBandLowest: option(lowest, 0.99), geometricBandHighest: option(highest, 1.01) },
    ({ geometricBandLowest: lowest, geometricBandHighest: highest }, [inner]) =>
      corrected("geo-band", inner, (minibatch) =>
        sequenceBandMask(minibatch, { lowest, highest }, "geometric-mean"),
      ),
    [inner],
  );
}

/** `veto`: `inner` without sequences that contain an extreme token ratio. */
export function outlierVeto<N extends StateName>(
  inner: LossPart<N>,
  lowest?: number,
  highest?: number,
): LossPart<N> {
  return definePart(
    { outlierVetoLowest: option(lowest, 1e-4), outlierVetoHighest: option(highest, 100) },
    ({ outlierVetoLowest: lowest, outlierVetoHighest: highest }, [inner]) =>
      corrected("veto", inner, (minibatch) => vetoOutliers(minibatch, { lowest, highest })),
    [inner],
  );
}
