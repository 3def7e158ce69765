/**
 * The clipped surrogate with separate bounds: `pg-clip`, and `clip-high` with a wider upper bound.
 *
 * Source: Schulman et al. 2017, "PPO", arXiv:1707.06347, equation 7; separate bounds ("clip higher") from Yu
 * et al. 2025, "DAPO", arXiv:2503.14476, equation 8; decoupled from the behavior policy by detached weights,
 * Hilton et al. 2022, arXiv:2110.00641.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import {
  type PolicyToken,
  type ProximalBatch,
  proximalLoss,
  type TokenTerm,
} from "./policy-loss.ts";
import { clippedRatio, type RatioBounds } from "./ratio-bounds.ts";

/**
 * Σ w·max(−A·r, −A·clip(r, 1 − lower, 1 + upper)) with r = π_θ / π_proximal.
 *
 * @returns the derivative with respect to `logProb` is 0 where the clip binds and outside the mask.
 */
export function clippedSurrogate(
  batch: ProximalBatch,
  bounds: RatioBounds,
  options: AggregationOption = {},
): LossResult {
  return proximalLoss(batch, options, (token) => clippedTerm(token, bounds));
}

/** max(−A·r, −A·clip(r)) of one token. */
export function clippedTerm(
  { advantage, ratio, ratioSlope }: Pick<PolicyToken, "advantage" | "ratio" | "ratioSlope">,
  bounds: RatioBounds,
): TokenTerm {
  const open = -advantage * ratio;
  const bounded = -advantage * clippedRatio(ratio, bounds);
  return bounded > open
    ? { value: bounded, slope: 0, clipped: true }
    : { value: open, slope: -advantage * ratioSlope };
}

/** `pg-clip`: the surrogate with the ratio clipped at 1 ± epsilon, by default 0.2. */
export function pgClip(epsilon?: number): LossPart {
  return definePart({ epsilon: option(epsilon, 0.2) }, (given) => {
    const bounds = { lower: given.epsilon, upper: given.epsilon };
    return lossPart("pg-clip", (minibatch) => clippedSurrogate(minibatch, bounds, minibatch));
  });
}

/** `clip-high`: the upper bound is wider; by default 1 − 0.2 and 1 + 0.28. */
export function clipHigh(lower?: number, upper?: number): LossPart {
  return definePart({ lower: option(lower, 0.2), upper: option(upper, 0.28) }, (bounds) =>
    lossPart("clip-high", (minibatch) => clippedSurrogate(minibatch, bounds, minibatch)),
  );
}
