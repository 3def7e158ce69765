/**
 * `mixed-group`: dynamic sampling. Drops groups with equal rewards; the driver refills the batch.
 *
 * Source: Yu et al. 2025, "DAPO" (dynamic sampling), arXiv:2503.14476.
 * Differs from it: the number of refills is limited, so a batch may stay short.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedGroup } from "../composition/part.ts";
import { filterPart, keepGroups } from "./filter-part.ts";
import { zeroVarianceFilter } from "./group-filter.ts";
import { selectBy } from "./selection.ts";
import type { Selection } from "./selected.ts";

/** Keeps groups with a signal, from `[groups][G]` rewards. */
export function mixedGroups(
  groups: readonly (readonly number[])[],
  tolerance: number = 1e-6,
): Selection {
  return selectBy(groups, zeroVarianceFilter(tolerance));
}

/** `[G]` rewards of a group. */
export const rewardsOf = ({ trajectories }: RewardedGroup): number[] =>
  trajectories.map(({ reward }) => reward.total);

/** `mixed-group`: drops groups with equal rewards; the driver rolls out others. */
export function mixedGroup(tolerance?: number): FilterPart {
  return definePart({ tolerance: option(tolerance, 1e-6) }, (given) =>
    filterPart("mixed-group", (groups) =>
      keepGroups(groups, (all) => mixedGroups(all.map(rewardsOf), given.tolerance)),
    ),
  );
}
