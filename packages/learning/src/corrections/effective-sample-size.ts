/**
 * How many equally weighted samples the weighted ones are worth: (Σw)² / Σw².
 *
 * Source: Kong 1992, "A Note on Importance Sampling using Standardized Weights".
 */
import { sumOf } from "../statistics.ts";
import { finiteAt, forEachLossToken, type LossMask, type TokenRows } from "../token-rows.ts";

/** In [0, N]; 0 if there is no weight above 0. */
export function effectiveSamples(weights: readonly number[]): number {
  const squares = sumOf(weights.map((weight) => weight * weight));
  return squares === 0 ? 0 : sumOf(weights) ** 2 / squares;
}

/** As a share of the loss tokens, in [0, 1]; 1 without tokens. Below 0.5 is an alarm. */
export function effectiveSampleSize(weights: TokenRows, lossMask: LossMask): number {
  const ofTokens: number[] = [];
  forEachLossToken(lossMask, (b, t) => {
    ofTokens.push(finiteAt(weights, "weights", b, t));
  });
  return ofTokens.length === 0 ? 1 : effectiveSamples(ofTokens) / ofTokens.length;
}
