/**
 * `pivot-var`: keeps turns of stored trajectories at which sampled actions differ in outcome. Turns with
 * equal outcomes teach nothing.
 *
 * Source: PivotRL (informative turns by variance of outcomes).
 */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { deviationOf } from "../statistics.ts";
import { filterPart, keepGroups } from "./filter-part.ts";
import { rewardsOf } from "./mixed-groups.ts";
import { selectBy } from "./selection.ts";
import type { Selection } from "./selected.ts";

/**
 * Selects turns by the variance of their outcomes.
 *
 * @param outcomes - `[turns][K]` rewards of K actions of the policy at each turn.
 * @param leastVariance - population variance above which a turn is kept. Default 0.01.
 */
export function pivotTurns(
  outcomes: readonly (readonly number[])[],
  leastVariance: number = 0.01,
): Selection {
  return selectBy(outcomes, (rewards) =>
    deviationOf(rewards, "population") ** 2 > leastVariance ? null : "unanimous",
  );
}

/** `pivot-var`: keeps turns whose sampled actions differ in outcome. */
export function pivotVariance(least?: number): FilterPart {
  return definePart({ pivotVarianceLeast: option(least, 0.01) }, ({ pivotVarianceLeast: least }) =>
    filterPart("pivot-var", (groups) =>
      keepGroups(groups, (all) => pivotTurns(all.map(rewardsOf), least)),
    ),
  );
}
