/**
 * The plain off-policy policy gradient: each token weighted by its ratio to what sampled it, without
 * bounds. One step on fresh data is REINFORCE.
 *
 * Source: the `importance_sampling` loss of the Tinker API (Thinking Machines Lab 2025).
 */
import type { LossResult } from "../loss.ts";
import type { AggregationOption } from "./aggregation.ts";
import { type BehaviorBatch, behaviorLoss } from "./policy-loss.ts";

/** Σ w · −A·exp(log π_θ − log μ), μ what sampled the tokens. */
export function importanceSampling(
  batch: BehaviorBatch,
  options: AggregationOption = {},
): LossResult {
  return behaviorLoss(batch, options, ({ advantage, ratio, ratioSlope }) => ({
    value: -advantage * ratio,
    slope: -advantage * ratioSlope,
  }));
}
