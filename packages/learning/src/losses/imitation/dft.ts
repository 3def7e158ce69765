/**
 * Imitation in which each token's loss is scaled by its own probability. Unlikely targets, which dominate
 * plain cross-entropy, get the smallest gradient. The part `dft`.
 *
 * Source: Wu et al. 2025, "On the Generalization of SFT: A Reinforcement Learning Perspective with Reward
 * Rectification", arXiv:2508.05629, equation 9. Detaching the scale is our reading.
 */
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import { finiteAt, requireRows } from "../../token-rows.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { type SupervisedBatch, supervisedLoss } from "./supervised-loss.ts";

/** Σ share · w · −π·log π, π detached: its derivative is π times that of the cross-entropy. */
export function dynamicFineTuning(
  batch: SupervisedBatch,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, policyLogProbs, weights } = batch;
  requireRows(lossMask, { policyLogProbs, weights });
  const scaled = lossMask.map((row, b) =>
    Float64Array.from(row, (kept, t) =>
      kept
        ? Math.exp(finiteAt(policyLogProbs, "policyLogProbs", b, t)) *
          (weights === undefined ? 1 : finiteAt(weights, "weights", b, t))
        : 0,
    ),
  );
  return supervisedLoss({ lossMask, policyLogProbs, weights: scaled }, options);
}

/** `dft`: cross-entropy with each token weighted by its own probability. */
export function dft(): LossPart {
  return lossPart("dft", (minibatch) => dynamicFineTuning(minibatch, minibatch));
}
