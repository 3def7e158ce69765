/**
 * `temp-target`: the sampling temperature follows an entropy target, so that exploration neither dies
 * nor runs away. Either solved from logits at hand, or controlled from what was measured.
 *
 * Source: Liu et al. 2025, "AceReason-Nemotron 1.1", arXiv:2506.13284 (temperature-adjusted entropy near
 * 0.3).
 */
import { WaggleError } from "@waggle/protocol";
import { requireInside } from "../statistics.ts";

/** Mean entropy of softmax(logits / temperature) over positions, nats. `[T][V]` */
export function entropyAt(logits: readonly ArrayLike<number>[], temperature: number): number {
  let sum = 0;
  for (const row of logits) {
    let most = Number.NEGATIVE_INFINITY;
    for (let v = 0; v < row.length; v += 1) most = Math.max(most, row[v]! / temperature);
    let total = 0;
    let weighted = 0;
    for (let v = 0; v < row.length; v += 1) {
      const shifted = row[v]! / temperature - most;
      const weight = Math.exp(shifted);
      total += weight;
      weighted += weight * shifted;
    }
    sum += Math.log(total) - weighted / total;
  }
  return sum / logits.length;
}

/**
 * The temperature in [least, most] at which the entropy is the target, by bisection (entropy grows with
 * temperature); the nearer end where the target lies outside.
 */
export function temperatureForEntropy(
  entropyOf: (temperature: number) => number,
  target: number,
  { least = 0.2, most = 2 }: { readonly least?: number; readonly most?: number } = {},
): number {
  requireInside("least", least, Number.MIN_VALUE, most);
  let [low, high] = [least, most];
  if (entropyOf(low) >= target) return low;
  if (entropyOf(high) <= target) return high;
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (entropyOf(middle) < target) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

export type TemperatureControl = {
  readonly target: number;
  /** Change of log temperature per nat of error and step. */
  readonly gain: number;
  readonly least: number;
  readonly most: number;
};

/**
 * The next temperature after this entropy was measured at the present one.
 *
 * @throws WaggleError `NON_FINITE_VALUE` where nothing was measured.
 */
export function nextTemperature(
  { target, gain, least, most }: TemperatureControl,
  temperature: number,
  entropy: number,
): number {
  if (!Number.isFinite(entropy)) {
    throw new WaggleError(
      "NON_FINITE_VALUE",
      `a measured entropy must be finite, got ${entropy}; measure it over sampled tokens`,
    );
  }
  const next = temperature * Math.exp(gain * (target - entropy));
  return Math.max(least, Math.min(most, next));
}
