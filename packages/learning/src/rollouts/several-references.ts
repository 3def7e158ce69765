/** Groups with reference solutions. */
import { fixed, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { demonstrationStrategy } from "./demonstrations.ts";

/** The role of reference demonstrations. */
export const REFERENCE = "reference";

/**
 * `group`: `size` rollouts of the policy, and one demonstration by each demonstrator in the role `reference`.
 * Demonstrators differ in their error rate, so that they solve a task in different ways.
 */
export function referencedGroup(
  size: number,
  demonstrators: readonly number[],
): RolloutPart<never, "group"> {
  return definePart({ groupSize: fixed(size) }, () => ({
    slot: "rollout",
    part: "group",
    needs: [],
    start: "group",
    strategy: () =>
      demonstrationStrategy({
        size: demonstrators.length,
        mistakes: demonstrators,
        students: size,
        names: demonstrators.map(() => REFERENCE),
      }),
  }));
}
