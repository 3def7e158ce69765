/**
 * The plain off-policy policy gradient: each token weighted by its unbounded ratio to the behavior policy.
 * One step on fresh data is REINFORCE.
 *
 * Source: the `importance_sampling` loss of the Tinker API (Thinking Machines Lab 2025).
 */
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { type BehaviorBatch, behaviorLoss } from "./policy-loss.ts";

/** Σ w · −A·exp(log π_θ − log μ), with μ the behavior policy. */
export function importanceSamplingLoss(
  batch: BehaviorBatch,
  options: AggregationOption = {},
): LossResult {
  return behaviorLoss(batch, options, ({ advantage, ratio, ratioSlope }) => ({
    value: -advantage * ratio,
    slope: -advantage * ratioSlope,
  }));
}

/** `is`: each token weighted by its ratio to the behavior policy, without bounds. */
export function importanceSampling(): LossPart {
  return lossPart("is", (minibatch) => importanceSamplingLoss(minibatch, minibatch));
}
