/**
 * The fewest requests of a candidate from which any test can tell that it is worse, with the given error rates.
 * A test that looks once, with known variances, does so with the fewest. Tests that may look at any time need more.
 *
 * Source: Neyman & Pearson 1933, Philosophical Transactions A 231, for normal means.
 */
import { normalQuantile } from "./normal-quantile.ts";

/** A release, and how well a test should tell a worse candidate from an equal one. */
export type ExposureOptions = {
  /** Requests of both arms. */
  readonly requests: number;
  /** Success rate of the stable version. */
  readonly base: number;
  /** How much lower the candidate's is. */
  readonly effect: number;
  /** Mean of a geometric distribution. */
  readonly requestsPerVisitor: number;
  /** Correlation of two outcomes of one visitor, in [0, 1). */
  readonly correlation: number;
  readonly falseAlarm: number;
  /** Chance of an alarm if the candidate is worse by the effect. */
  readonly power: number;
};

/** Requests of the candidate; `Infinity` if half of all requests are too few. */
export function neededExposure(options: ExposureOptions): number {
  const { requests, effect, falseAlarm, power } = options;
  const { stable, candidate } = variances(options);
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

/**
 * Of one request, in a mean over all requests. Kish's design effect is 1 + (E n² / E n − 1) ρ, and E n² / E n is
 * 2 m − 1 for a geometric n of mean m. The worse candidate fails some of the requests that the stable version solves,
 * at random, so its outcomes are less correlated.
 */
function variances({ base, effect, requestsPerVisitor, correlation }: ExposureOptions): {
  readonly stable: number;
  readonly candidate: number;
} {
  const others = 2 * (requestsPerVisitor - 1);
  const common = others * correlation * base * (1 - base);
  const kept = (base - effect) / base;
  return {
    stable: base * (1 - base) + common,
    candidate: (base - effect) * (1 - base + effect) + kept ** 2 * common,
  };
}
