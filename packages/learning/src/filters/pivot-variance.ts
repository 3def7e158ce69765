/**
 * `pivot-var`: turns of stored runs are kept where sampled actions differ in outcome; unanimous turns
 * teach nothing.
 *
 * Source: PivotRL (informative turns by variance of outcomes).
 */
import { deviationOf } from "../statistics.ts";
import { type Selection, selectBy } from "./selection.ts";

/**
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
