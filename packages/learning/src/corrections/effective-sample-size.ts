/**
 * How many equally weighted tokens the weighted ones are worth, as a share: (Σw)² / (N·Σw²). An alarm
 * below 0.5.
 *
 * Source: Kong 1992, "A Note on Importance Sampling using Standardized Weights".
 */
import { finiteAt, forEachLossToken, type LossMask, type TokenRows } from "../token-rows.ts";

/** In [0, 1]; 1 for no token, 0 where every weight is 0. */
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
