/** The logistic function and its logarithm, without overflow for large arguments of either sign. */

/** 1 / (1 + exp(−x)). */
export function logistic(x: number): number {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x));
}

/** log of the logistic function, ≤ 0. */
export function logLogistic(x: number): number {
  return Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));
}
