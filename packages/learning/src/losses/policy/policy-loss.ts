/**
 * Common frame of losses that are a sum of one term per sampled token, each a function of the token's
 * advantage and its ratio to an earlier policy. A loss supplies the term; this module applies shares and
 * detached weights and computes derivatives and metrics. Sequence-level ratios are elsewhere.
 */
import { clampedRatio, clampedRatioSlope } from "../../log-ratio.ts";
import type { LossResult } from "../../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";

/** A minibatch or microbatch of a policy-gradient loss; all `[B][T]`. */
export type PolicyBatch = {
  readonly lossMask: LossMask;
  readonly advantages: TokenRows;
  /** log π_θ, which is differentiated. */
  readonly policyLogProbs: TokenRows;
  /** Detached weight of each token (corrections, masks); absent = 1. Not part of any denominator. */
  readonly weights?: TokenRows | undefined;
};

/** A batch whose ratio is to the proximal policy. */
export type ProximalBatch = PolicyBatch & {
  /** log π of the trainer's weights at the start of the update. */
  readonly proximalLogProbs: TokenRows;
};

/** A batch whose ratio is to the behavior policy. */
export type BehaviorBatch = PolicyBatch & {
  /** log π recorded by the sampler. */
  readonly behaviorLogProbs: TokenRows;
};

/** One loss token. */
export type PolicyToken = {
  readonly b: number;
  readonly t: number;
  readonly advantage: number;
  /** log π_θ. */
  readonly logProb: number;
  /** log π_θ − log π of the earlier policy. */
  readonly logRatio: number;
  /** exp of the log-ratio clamped to ±20. */
  readonly ratio: number;
  /** d ratio / d log π_θ: the ratio, 0 where the clamp binds. */
  readonly ratioSlope: number;
};

/** A term of the sum, to be minimized. */
export type TokenTerm = {
  readonly value: number;
  /** d value / d log π_θ, with detached quantities held fixed. */
  readonly slope: number;
  /** Whether a bound changed the term; for the metric `clipFraction`. */
  readonly clipped?: boolean;
  /** Whether the loss's additional cap changed the term. A loss with such a cap sets it for every token. */
  readonly capped?: boolean;
};

/** Σ share · weight · term over the loss tokens, with the ratio to the proximal policy. */
export function proximalLoss(
  batch: ProximalBatch,
  options: AggregationOption,
  term: (token: PolicyToken) => TokenTerm,
): LossResult {
  return ratioLoss(batch, "proximal", batch.proximalLogProbs, options, term);
}

/** Σ share · weight · term over the loss tokens, with the ratio to the behavior policy. */
export function behaviorLoss(
  batch: BehaviorBatch,
  options: AggregationOption,
  term: (token: PolicyToken) => TokenTerm,
): LossResult {
  return ratioLoss(batch, "behavior", batch.behaviorLogProbs, options, term);
}

function ratioLoss(
  { lossMask, advantages, policyLogProbs, weights }: PolicyBatch,
  earlier: "proximal" | "behavior",
  earlierLogProbs: TokenRows,
  options: AggregationOption,
  term: (token: PolicyToken) => TokenTerm,
): LossResult {
  const earlierName = `${earlier}LogProbs`;
  requireRows(lossMask, { advantages, policyLogProbs, weights, [earlierName]: earlierLogProbs });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const logProbSlopes = zeroRows(lossMask);
  let loss = 0;
  let clippedTokens = 0;
  let cappedTokens: number | undefined;
  let ratios = 0;
  let kl = 0;
  forEachLossToken(lossMask, (b, t) => {
    const logProb = finiteAt(policyLogProbs, "policyLogProbs", b, t);
    const logRatio = logProb - finiteAt(earlierLogProbs, earlierName, b, t);
    const ratio = clampedRatio(logRatio);
    const { value, slope, clipped, capped } = term({
      b,
      t,
      advantage: finiteAt(advantages, "advantages", b, t),
      logProb,
      logRatio,
      ratio,
      ratioSlope: clampedRatioSlope(logRatio),
    });
    const scale =
      finiteAt(shares, "shares", b, t) *
      (weights === undefined ? 1 : finiteAt(weights, "weights", b, t));
    loss += scale * value;
    (logProbSlopes[b] as Float64Array)[t] = scale * slope;
    clippedTokens += clipped === true ? 1 : 0;
    if (capped !== undefined) cappedTokens = (cappedTokens ?? 0) + (capped ? 1 : 0);
    ratios += ratio;
    kl += ratio - 1 - Math.log(ratio);
  });
  return {
    loss,
    derivatives: { logProb: logProbSlopes },
    metrics: {
      clipFraction: clippedTokens * perToken,
      ...(cappedTokens === undefined ? {} : { capFraction: cappedTokens * perToken }),
      importanceRatioMean: ratios * perToken,
      // k3 estimate of KL(earlier ‖ policy), in nats.
      [`${earlier}Kl`]: kl * perToken,
    },
  };
}
