/**
 * Training on stored trajectories that beat the current baseline: the clipped surrogate on tokens of
 * positive advantage only. `recal` recomputes the advantages against the current baseline first, so a success
 * that has become ordinary teaches nothing.
 *
 * Sources: Oh et al. 2018, "Self-Imitation Learning", arXiv:1806.05635; for agents Qin et al. 2025, "SPEAR",
 * arXiv:2509.22601, section 4.2. The weight that rises over training is set by the recipe (`scaleLoss`).
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { clippedTerm } from "./clipped-surrogate.ts";
import { type BehaviorBatch, behaviorLoss } from "./policy-loss.ts";
import type { RatioBounds } from "./ratio-bounds.ts";

/**
 * Σ w·max(−A·r, −A·clip(r)) over tokens with A > 0, with r the ratio to the behavior policy.
 *
 * @returns metrics named `imitation…`, which do not collide with those of the fresh data.
 */
export function selfImitationLoss(
  batch: BehaviorBatch,
  bounds: RatioBounds,
  options: AggregationOption = {},
): LossResult {
  const { metrics, ...result } = behaviorLoss(batch, options, (token) =>
    token.advantage > 0
      ? { ...clippedTerm(token, bounds), capped: false }
      : { value: 0, slope: 0, capped: true },
  );
  return {
    ...result,
    metrics: {
      imitationClipFraction: metrics["clipFraction"] ?? 0,
      imitationSkippedFraction: metrics["capFraction"] ?? 0,
    },
  };
}

/** `self-imitation`: the clipped surrogate on tokens of positive advantage only. */
export function selfImitation(lower?: number, upper?: number): LossPart {
  return definePart(
    { selfImitationLower: option(lower, 0.2), selfImitationUpper: option(upper, 0.2) },
    ({ selfImitationLower: lower, selfImitationUpper: upper }) =>
      lossPart("self-imitation", (minibatch) =>
        selfImitationLoss(minibatch, { lower, upper }, minibatch),
      ),
  );
}
