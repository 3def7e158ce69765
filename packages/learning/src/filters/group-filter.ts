/**
 * Which groups carry a learning signal. Not a check of honesty: that comes before, and elsewhere.
 *
 * Source: Yu et al. 2025, "DAPO", arXiv:2503.14476, section 3.2 (dynamic sampling): groups whose
 * rollouts all scored alike have zero advantage and only dilute the token-mean.
 */

/** Why a group is left out; a stable word for reports. */
type FilterReason = "group-of-one" | "no-signal";

/** Says why a group of `[G]` rewards is left out, or `null` to keep it. */
export type GroupFilter = (rewards: readonly number[]) => FilterReason | null;

/** Keeps groups whose rewards differ by more than `tolerance` (reward units, default 1e-6). */
export function zeroVarianceFilter(tolerance: number = 1e-6): GroupFilter {
  return (rewards) => {
    if (rewards.length < 2) return "group-of-one";
    return Math.max(...rewards) - Math.min(...rewards) <= tolerance ? "no-signal" : null;
  };
}
