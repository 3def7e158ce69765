/**
 * Clipped importance weights instead of a clipped objective: no token loses its gradient, and each token's
 * weight is bounded.
 *
 * Source: MiniMax 2025, "MiniMax-M1" (CISPO), arXiv:2506.13585, equation 4. The paper clips from above only:
 * `{ lowest: 0, highest }`. TRL's `epsilon_high` is that absolute ratio (5), not a distance from 1.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { type ProximalBatch, proximalLoss } from "./policy-loss.ts";
import { clippedRatio, type RatioBounds } from "./ratio-bounds.ts";

/** Σ w · −clip(r)·A·log π_θ with clip(r) detached. Metric `clipFraction`: share of clipped ratios. */
export function cispoLoss(
  batch: ProximalBatch,
  bounds: RatioBounds,
  options: AggregationOption = {},
): LossResult {
  return proximalLoss(batch, options, ({ advantage, ratio, logProb }) => {
    const weight = clippedRatio(ratio, bounds);
    return {
      value: -weight * advantage * logProb,
      slope: -weight * advantage,
      clipped: weight !== ratio,
    };
  });
}

/** `cispo`: −A·log π weighted by the clipped, detached ratio. */
export function cispo(lowest?: number, highest?: number): LossPart {
  return definePart(
    { cispoLowest: option(lowest, 0), cispoHighest: option(highest, 1.28) },
    ({ cispoLowest: lowest, cispoHighest: highest }) =>
      lossPart("cispo", (minibatch) => cispoLoss(minibatch, { lowest, highest }, minibatch)),
  );
}
