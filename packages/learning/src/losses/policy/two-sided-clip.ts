/**
 * The clipped surrogate with a cap on its unclipped branch too, so a token of negative advantage and large
 * ratio cannot dominate.
 *
 * Source: Prime Intellect 2025, "INTELLECT-2", arXiv:2505.07291, section 3.4. Equals a dual clip whose
 * ceiling is the cap, if the cap is above the upper bound.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { clippedTerm } from "./clipped-surrogate.ts";
import { type ProximalBatch, proximalLoss } from "./policy-loss.ts";
import type { RatioBounds } from "./ratio-bounds.ts";

/**
 * max(−A·min(r, cap), −A·clip(r)).
 *
 * @param cap - a ratio above the upper bound; 4 is the published value.
 * @returns metric `capFraction`: share of tokens whose ratio is above the cap.
 */
export function twoSidedSurrogate(
  batch: ProximalBatch,
  bounds: RatioBounds,
  cap: number,
  options: AggregationOption = {},
): LossResult {
  return proximalLoss(batch, options, ({ advantage, ratio, ratioSlope }) => {
    const capped = ratio > cap;
    const term = clippedTerm(
      { advantage, ratio: Math.min(ratio, cap), ratioSlope: capped ? 0 : ratioSlope },
      bounds,
    );
    return { ...term, capped };
  });
}

/** `two-sided`: caps ratios at `cap` also on the branch that the clip leaves unbounded. */
export function twoSidedClip(epsilon?: number, cap?: number): LossPart {
  return definePart(
    { epsilon: option(epsilon, 0.2), twoSidedClipCap: option(cap, 4) },
    ({ epsilon, twoSidedClipCap: cap }) => {
      const bounds = { lower: epsilon, upper: epsilon };
      return lossPart("two-sided", (minibatch) =>
        twoSidedSurrogate(minibatch, bounds, cap, minibatch),
      );
    },
  );
}
