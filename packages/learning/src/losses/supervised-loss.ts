/**
 * Weighted cross-entropy of the taken tokens under a mask: pretraining, imitation, rejection
 * sampling. Not a policy gradient, though −w·log π with w = −dL/dlog π has the gradient of any L.
 */
import type { LossResult } from "../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../token-rows.ts";
import { type AggregationOption, resolvedShares } from "./aggregation.ts";

/** All `[B][T]`. */
export type SupervisedBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  /** Weight of each token; absent = 1. Weights do not enter the count that is divided by. */
  readonly weights?: TokenRows | undefined;
};

/** Σ share · w · −log π, in nats; the metric `crossEntropy` is the token-mean without weights. */
export function supervisedLoss(
  batch: SupervisedBatch,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, policyLogProbs, weights } = batch;
  requireRows(lossMask, { policyLogProbs, weights });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let unweighted = 0;
  forEachLossToken(lossMask, (b, t) => {
    const w = weights === undefined ? 1 : finiteAt(weights, "weights", b, t);
    const value = finiteAt(policyLogProbs, "policyLogProbs", b, t);
    const scale = w * finiteAt(shares, "shares", b, t);
    loss -= scale * value;
    unweighted -= value * perToken;
    (logProb[b] as Float64Array)[t] = -scale;
  });
  return { loss, derivatives: { logProb }, metrics: { crossEntropy: unweighted } };
}
