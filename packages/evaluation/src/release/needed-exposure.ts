/**
 * The fewest requests of a candidate from which any test can tell that it is worse, with the given error rates.
 * A test that looks once, with known variances, does so with the fewest. Tests that may look at any time need more.
 *
 * Source: Neyman & Pearson 1933, Philosophical Transactions A 231, for normal means.
 */
import { normalQuantile } from "./normal-quantile.ts";

export type ExposureOptions = {
  /** Requests of both arms. */
  readonly requests: number;
  /** Success rate of the stable version. */
  readonly base: number;
  /** How much lower the candidate's is. */
  readonly effect: number;
  /** Variance of a mean over that of independent requests, by arm: Kish's design effect. */
  readonly designEffects: { readonly stable: number; readonly candidate: number };
  readonly falseAlarm: number;
  /** Chance of an alarm if the candidate is worse by the effect. */
  readonly power: number;
};

/** Requests of the candidate; `Infinity` if half of all requests are too few. */
export function neededExposure(options: ExposureOptions): number {
  const { requests, base, effect, designEffects, falseAlarm, power } = options;
  const stable = designEffects.stable * base * (1 - base);
  const candidate = designEffects.candidate * (base - effect) * (1 - base + effect);
  const isEnough = (exposure: number): boolean => {
    const rest = stable / (requests - exposure);
    const without = Math.sqrt(stable / exposure + rest);
    const withEffect = Math.sqrt(candidate / exposure + rest);
    return normalQuantile(falseAlarm) * without + normalQuantile(1 - power) * withEffect <= effect;
  };
  let [low, high] = [0, Math.floor(requests / 2)];
  if (!isEnough(high)) return Infinity;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}
