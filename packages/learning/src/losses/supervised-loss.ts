/**
 * Weighted cross-entropy of the taken tokens under a mask: pretraining, imitation, rejection
 * sampling. Not a policy gradient, though −w·log π with w = −dL/dlog π has the gradient of any L.
 */
import { type LossResult, type TokenCountOption, tokenMeanScale } from "../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../token-rows.ts";

/** All `[B][T]`. */
export type SupervisedBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  /** Weight of each token; absent = 1. Weights do not enter the count that is divided by. */
  readonly weights?: TokenRows;
};

/** Σ −w·log π / tokenCount, in nats. */
export function supervisedLoss(batch: SupervisedBatch, options: TokenCountOption = {}): LossResult {
  const { lossMask, policyLogProbs, weights } = batch;
  requireRows(lossMask, { policyLogProbs, weights });
  const scale = tokenMeanScale(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let unweighted = 0;
  forEachLossToken(lossMask, (b, t) => {
    const w = weights === undefined ? 1 : finiteAt(weights, "weights", b, t);
    const value = finiteAt(policyLogProbs, "policyLogProbs", b, t);
    loss -= w * value * scale;
    unweighted -= value * scale;
    (logProb[b] as Float64Array)[t] = -w * scale;
  });
  return { loss, derivatives: { logProb }, metrics: { crossEntropy: unweighted } };
}
