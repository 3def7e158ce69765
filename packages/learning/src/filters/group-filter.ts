/**
 * Selects the groups that carry a learning signal. It does not check whether uploads are honest; the trainer does
 * that earlier.
 *
 * Source: Yu et al. 2025, "DAPO", arXiv:2503.14476, section 3.2 (dynamic sampling): groups with equal rewards
 * have zero advantage and only dilute the token mean.
 */

/** Why a group is dropped; a stable code for reports. */
type FilterReason = "group-of-one" | "no-signal";

/** Returns why a group of `[G]` rewards is dropped, or `null` to keep it. */
export type GroupFilter = (rewards: readonly number[]) => FilterReason | null;

/** Keeps groups whose rewards differ by more than `tolerance` (reward units, default 1e-6). */
export function zeroVarianceFilter(tolerance: number = 1e-6): GroupFilter {
  return (rewards) => {
    if (rewards.length < 2) return "group-of-one";
    return Math.max(...rewards) - Math.min(...rewards) <= tolerance ? "no-signal" : null;
  };
}

/** False if all rewards of a group of several are equal. A single rollout is judged by its own reward. */
export function hasSignal(rewards: readonly number[]): boolean {
  return zeroVarianceFilter()(rewards) !== "no-signal";
}
