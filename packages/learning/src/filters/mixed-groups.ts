/**
 * `mixed-group`: dynamic sampling. Groups that scored alike are left out; who rolls out fills the batch up.
 *
 * Source: Yu et al. 2025, "DAPO" (dynamic sampling), arXiv:2503.14476.
 * Differs from it: how often a batch is filled up is bounded, so that it may stay short.
 */
import { zeroVarianceFilter } from "./group-filter.ts";
import { type Selection, selectBy } from "./selection.ts";

/** Keeps groups with a signal. `[groups][G]` rewards. */
export function mixedGroups(
  groups: readonly (readonly number[])[],
  tolerance: number = 1e-6,
): Selection {
  return selectBy(groups, zeroVarianceFilter(tolerance));
}
