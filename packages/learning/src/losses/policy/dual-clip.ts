/**
 * The clipped surrogate with a ceiling for tokens of negative advantage, for which the plain surrogate grows
 * with the ratio without bound.
 *
 * Source: Ye et al. 2020, "Mastering Complex Control in MOBA Games with Deep Reinforcement Learning",
 * arXiv:1912.09729, equation 6.
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
 * The clipped term; if A < 0, at most −A·ceiling.
 *
 * @param ceiling - a ratio above the upper bound; 3 is usual.
 * @returns metric `capFraction`: share of tokens at the ceiling, whose derivative is 0.
 */
export function dualClippedSurrogate(
  batch: ProximalBatch,
  bounds: RatioBounds,
  ceiling: number,
  options: AggregationOption = {},
): LossResult {
  return proximalLoss(batch, options, (token) => {
    const term = clippedTerm(token, bounds);
    const most = -token.advantage * ceiling;
    return token.advantage < 0 && term.value > most
      ? { ...term, value: most, slope: 0, capped: true }
      : { ...term, capped: false };
  });
}

/** `dual-clip`: limits the loss of a token of negative advantage to `ceiling` times |A|. */
export function dualClip(epsilon?: number, ceiling?: number): LossPart {
  return definePart(
    { epsilon: option(epsilon, 0.2), ceiling: option(ceiling, 3) },
    ({ epsilon, ceiling }) => {
      const bounds = { lower: epsilon, upper: epsilon };
      return lossPart("dual-clip", (minibatch) =>
        dualClippedSurrogate(minibatch, bounds, ceiling, minibatch),
      );
    },
  );
}
