/**
 * The score-function gradient with a detached weight; the loss itself has no earlier policy and no ratio. For
 * off-policy data, put the truncated or masked ratio into the weights.
 *
 * Source: Williams 1992, "Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement
 * Learning"; with truncated weights Yao et al. 2025.
 */
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import { finiteAt, forEachLossToken, requireRows, zeroRows } from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import type { PolicyBatch } from "./policy-loss.ts";

/** Σ w · −A·log π_θ. Weights and advantages are detached. */
export function reinforceLoss(batch: PolicyBatch, options: AggregationOption = {}): LossResult {
  const { lossMask, advantages, policyLogProbs, weights } = batch;
  requireRows(lossMask, { advantages, policyLogProbs, weights });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let negativeLogProbs = 0;
  forEachLossToken(lossMask, (b, t) => {
    const value = finiteAt(policyLogProbs, "policyLogProbs", b, t);
    const scale =
      finiteAt(shares, "shares", b, t) *
      finiteAt(advantages, "advantages", b, t) *
      (weights === undefined ? 1 : finiteAt(weights, "weights", b, t));
    loss -= scale * value;
    negativeLogProbs -= value * perToken;
    (logProb[b] as Float64Array)[t] = -scale;
  });
  return { loss, derivatives: { logProb }, metrics: { negativeLogProb: negativeLogProbs } };
}

/** `reinforce`: −A·log π, without clipping. */
export function reinforce(): LossPart {
  return lossPart("reinforce", (minibatch) => reinforceLoss(minibatch, minibatch));
}
