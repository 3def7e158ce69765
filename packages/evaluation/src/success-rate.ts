/**
 * Success rates with an interval that is accurate for small counts and for rates near 0 and 1.
 *
 * Source: Wilson 1927, "Probable inference, the law of succession, and statistical inference",
 * JASA 22(158).
 */
import { WaggleError } from "@waggle/protocol";
import { Z_95 } from "./interval.ts";
import type { Interval } from "./interval.ts";

/** A success rate with its counts and interval. */
export type SuccessRate = {
  readonly successes: number;
  readonly trials: number;
  /** In [0, 1]. */
  readonly rate: number;
  /** Wilson score interval, 95 %. */
  readonly interval: Interval;
};

/**
 * The share of outcomes that are true.
 * @throws WaggleError `INVALID_ARGUMENT` without outcomes.
 */
export function successRate(outcomes: readonly boolean[]): SuccessRate {
  const trials = outcomes.length;
  if (trials === 0) {
    throw new WaggleError("INVALID_ARGUMENT", "a success rate cannot be computed without outcomes");
  }
  const successes = outcomes.filter(Boolean).length;
  const rate = successes / trials;
  return { successes, trials, rate, interval: wilsonInterval(rate, trials) };
}

/** @param trials - above 0; not whole if they are not independent. */
export function wilsonInterval(rate: number, trials: number): Interval {
  const z2 = Z_95 ** 2;
  const center = (rate + z2 / (2 * trials)) / (1 + z2 / trials);
  const half =
    (Z_95 / (1 + z2 / trials)) * Math.sqrt((rate * (1 - rate)) / trials + z2 / (4 * trials ** 2));
  return { low: rate === 0 ? 0 : center - half, high: rate === 1 ? 1 : center + half };
}

/** Share of tasks solved; 0 without tasks. */
export function shareSolved(successes: readonly boolean[]): number {
  return successes.filter(Boolean).length / Math.max(1, successes.length);
}
