/**
 * Named components of a reward, and `tiers` of them. Components are kept apart, so that a run can be
 * scored again. One that could not be judged is absent, and a total that needs it is refused: it is not 0.
 *
 * Source: QUASAR, GeoVista (tiers).
 */
import { WaggleError } from "@waggle/protocol";

/** Components by name; `null` where a verifier or judge could not say. */
export type RewardComponents = { readonly [name: string]: number | null };

/**
 * The component's number.
 *
 * @throws WaggleError `REWARD_UNAVAILABLE` (retryable) where it could not be judged.
 * @throws WaggleError `INVALID_ARGUMENT` for a name that no part gives.
 * @throws WaggleError `NON_FINITE_REWARD`
 */
export function componentOf(components: RewardComponents, name: string): number {
  if (!Object.hasOwn(components, name)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `component must be one of ${Object.keys(components).join(", ")}, got ${name.slice(0, 64)}; score it or take it out of the sum`,
    );
  }
  const value = components[name] as number | null;
  if (value === null) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `every component of a reward must be judged, got none for ${name}; judge again or drop the trajectory`,
      { retryable: true },
    );
  }
  if (!Number.isFinite(value)) {
    throw new WaggleError(
      "NON_FINITE_REWARD",
      `component ${name} must be finite, got ${value}; throw REWARD_UNAVAILABLE where it cannot be judged`,
    );
  }
  return value;
}

/** One level of a hierarchy. */
export type Tier = {
  readonly score: number;
  readonly weight: number;
  /** Least score that lets the next tier count. Default: the score must be 1. */
  readonly passesAt?: number;
};

/** Weighted sum of the tiers up to and with the first that does not pass. */
export function tieredReward(tiers: readonly Tier[]): number {
  let sum = 0;
  for (const { score, weight, passesAt = 1 } of tiers) {
    sum += weight * score;
    if (score < passesAt) break;
  }
  return sum;
}
