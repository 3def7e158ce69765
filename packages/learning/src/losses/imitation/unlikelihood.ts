/**
 * Makes given tokens less likely: −log(1 − π). For steps that are known to be wrong, if masking them is not
 * enough. One half of `contrast`.
 *
 * Source: Welleck et al. 2019, "Neural Text Generation with Unlikelihood Training", arXiv:1908.04319,
 * equation 3.
 */
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import { finiteAt, forEachLossToken, requireRows, zeroRows } from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { ofTurns, turnRule, type TurnRule } from "../turn-rules.ts";
import type { SupervisedBatch } from "./supervised-loss.ts";

/** Distance from a probability of 1, where the loss has a pole. */
const MARGIN = 1e-6;

/** Σ share · w · −log(1 − π) over tokens that should not have been written. */
export function unlikelihoodLoss(
  batch: SupervisedBatch,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, policyLogProbs, weights } = batch;
  requireRows(lossMask, { policyLogProbs, weights });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let mean = 0;
  forEachLossToken(lossMask, (b, t) => {
    const p = Math.min(1 - MARGIN, Math.exp(finiteAt(policyLogProbs, "policyLogProbs", b, t)));
    const scale =
      finiteAt(shares, "shares", b, t) *
      (weights === undefined ? 1 : finiteAt(weights, "weights", b, t));
    loss -= scale * Math.log1p(-p);
    mean -= Math.log1p(-p) * perToken;
    (logProb[b] as Float64Array)[t] = (scale * p) / (1 - p);
  });
  return { loss, derivatives: { logProb }, metrics: { unlikelihood: mean } };
}

const isRight = turnRule("right");

/**
 * `unlikelihood`: makes wrong turns less likely. Default: turns that did not parse or failed. Use it with
 * `ce-mask`, which leaves them out.
 */
export function unlikelihood(
  isUnwanted: TurnRule = (turn, trajectory) => !isRight(turn, trajectory),
): LossPart {
  return lossPart("unlikelihood", (minibatch) =>
    unlikelihoodLoss({ ...minibatch, lossMask: ofTurns(minibatch, isUnwanted) }),
  );
}
