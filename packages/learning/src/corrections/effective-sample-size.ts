/**
 * The number of equally weighted tokens that the weighted ones are worth, as a share: (Σw)² / (N·Σw²). Below
 * 0.5 is an alarm.
 *
 * Source: Kong 1992, "A Note on Importance Sampling using Standardized Weights".
 */
import { finiteAt, forEachLossToken, type LossMask, type TokenRows } from "../token-rows.ts";

/** In [0, 1]; 1 without tokens, 0 if every weight is 0. */
export function effectiveSampleSize(weights: TokenRows, lossMask: LossMask): number {
  let count = 0;
  let sum = 0;
  let squares = 0;
  forEachLossToken(lossMask, (b, t) => {
    const weight = finiteAt(weights, "weights", b, t);
    count += 1;
    sum += weight;
    squares += weight * weight;
  });
  if (count === 0) return 1;
  return squares === 0 ? 0 : (sum * sum) / (count * squares);
}
