/**
 * Statistics used by several parts, in double precision. The convention of the standard deviation is an
 * argument, because papers and libraries use both.
 */
import { WaggleError } from "@waggle/protocol";

/** `population` divides by n; `sample` by n − 1 (as `torch.std`, hence verl, TRL and AReaL). */
export type DeviationConvention = "population" | "sample";

export function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The mean, by default with equal weights; 0 for an empty list. */
export function meanOf(
  values: readonly number[],
  weights: readonly number[] = values.map(() => 1),
): number {
  if (values.length === 0) return 0;
  return sumOf(values.map((value, i) => value * (weights[i] ?? 1))) / sumOf(weights);
}

/** The standard deviation, by default with equal weights; 0 if the divisor is 0. */
export function deviationOf(
  values: readonly number[],
  convention: DeviationConvention,
  weights: readonly number[] = values.map(() => 1),
): number {
  const sum = sumOf(weights);
  const lost = convention === "population" ? 0 : sumOf(weights.map((weight) => weight ** 2)) / sum;
  const divisor = sum - lost;
  // Not above 0 or, for an empty list, not a number.
  if (!(divisor > 0)) return 0;
  const mean = meanOf(values, weights);
  return Math.sqrt(
    sumOf(values.map((value, i) => (weights[i] ?? 1) * (value - mean) ** 2)) / divisor,
  );
}

/** Index of the largest value, the first of equal ones; −1 for an empty list. */
export function argMax(values: readonly number[]): number {
  return values.reduce((best, value, i) => (best < 0 || value > values[best]! ? i : best), -1);
}

/** The quantile `q` in [0, 1], interpolated. `values` must not be empty. */
export function quantileOf(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (place - below);
}

/** Indices of equal keys, in order of first appearance. */
export function indicesByKey<K>(keys: readonly K[]): Map<K, number[]> {
  const groups = new Map<K, number[]>();
  for (const [i, key] of keys.entries()) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [i]);
    else group.push(i);
  }
  return groups;
}

/**
 * @throws WaggleError `GROUP_TOO_SMALL` for fewer than 2 rewards: one rollout has no baseline.
 * @throws WaggleError `NON_FINITE_REWARD` naming the first offending index.
 */
export function requireGroup(rewards: readonly number[]): void {
  if (rewards.length < 2) {
    throw new WaggleError(
      "GROUP_TOO_SMALL",
      `a group has ${rewards.length} rollout${rewards.length === 1 ? "" : "s"}; a baseline needs at least 2 (raise groupSize or drop the group)`,
    );
  }
  requireFiniteRewards(rewards);
}

/** @throws WaggleError `NON_FINITE_REWARD` naming the first offending index. */
export function requireFiniteRewards(rewards: readonly number[]): void {
  const index = rewards.findIndex((reward) => !Number.isFinite(reward));
  if (index >= 0) {
    throw new WaggleError(
      "NON_FINITE_REWARD",
      `rewards[${index}] is ${rewards[index]}; a verifier must return finite rewards, or throw REWARD_UNAVAILABLE if it cannot judge`,
    );
  }
}

/** @throws WaggleError `SHAPE_MISMATCH` if two lists that belong together differ in length. */
export function requireSameLength(
  name: string,
  length: number,
  otherName: string,
  otherLength: number,
): void {
  if (length !== otherLength) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `${name} has ${length} entries and ${otherName} has ${otherLength}; build both from the same rollouts`,
    );
  }
}

/** @throws WaggleError `INVALID_ARGUMENT` unless `value` lies in [least, most]. */
export function requireInside(name: string, value: number, least: number, most: number): void {
  if (!(value >= least && value <= most)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${name} must be in [${least}, ${most}], got ${value}`,
    );
  }
}
