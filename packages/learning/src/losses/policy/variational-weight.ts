/**
 * REINFORCE with a smooth weight of the whole sequence's importance ratio, neither clipped nor normalized by
 * length: largest at a ratio near k/λ, small for sequences that the policy has moved away from.
 *
 * Source: "Variational Sequence-Level Soft Policy Optimization" (VESPO) 2026, arXiv:2602.10693, with TRL's
 * default constants.
 */
import type { LossPart } from "../../composition/part.ts";
import { clampedLogRatio } from "../../log-ratio.ts";
import type { LossResult } from "../../loss.ts";
import { finiteAt, requireRows, zeroRows } from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import type { BehaviorBatch } from "./policy-loss.ts";
import { sequenceLogRatios } from "./sequence-log-ratios.ts";

/** log φ = rate + shape·log w − rate·w. */
type KernelShape = { readonly shape: number; readonly rate: number };

/** The kernels of tokens with A ≥ 0 and with A < 0. */
export type VariationalKernels = {
  readonly positive: KernelShape;
  readonly negative: KernelShape;
};

const PUBLISHED: VariationalKernels = {
  positive: { shape: 2, rate: 3 },
  negative: { shape: 3, rate: 2 },
};

/** Σ w · −φ·A·log π_θ, φ detached, of the ratio π_θ / μ of the whole sequence (log clamped to ±20). */
export function variationalWeightLoss(
  batch: BehaviorBatch,
  kernels: VariationalKernels = PUBLISHED,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, advantages, policyLogProbs, behaviorLogProbs, weights } = batch;
  requireRows(lossMask, { advantages, policyLogProbs, behaviorLogProbs, weights });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let kernelSum = 0;
  for (const [b, { tokens, sumLogRatio }] of sequenceLogRatios(
    lossMask,
    policyLogProbs,
    behaviorLogProbs,
  ).entries()) {
    const logWeight = clampedLogRatio(sumLogRatio);
    for (const t of tokens) {
      const advantage = finiteAt(advantages, "advantages", b, t);
      const { shape, rate } = advantage >= 0 ? kernels.positive : kernels.negative;
      const kernel = Math.exp(rate + shape * logWeight - rate * Math.exp(logWeight));
      const scale =
        finiteAt(shares, "shares", b, t) *
        (weights === undefined ? 1 : finiteAt(weights, "weights", b, t));
      loss -= scale * kernel * advantage * finiteAt(policyLogProbs, "policyLogProbs", b, t);
      (logProb[b] as Float64Array)[t] = -scale * kernel * advantage;
      kernelSum += kernel;
    }
  }
  return { loss, derivatives: { logProb }, metrics: { kernelMean: kernelSum * perToken } };
}

/** `vespo`: −A·log π with a smooth weight of the whole sequence's ratio. */
export function variationalWeight(kernels?: VariationalKernels): LossPart {
  return lossPart("vespo", (minibatch) => variationalWeightLoss(minibatch, kernels, minibatch));
}
