/** Groups with reference solutions beside them. */
import { fixed, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";

/** The role of a demonstration that rollouts are compared with. */
export const REFERENCE = "reference";

/**
 * `group`: `size` rollouts of the policy, and as many demonstrations as there are demonstrators in the
 * role `reference`. A demonstrator is how often it errs: those that do reach the end by other ways.
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
    plan: () => ({
      kind: "demos",
      size: demonstrators.length,
      mistakes: demonstrators,
      students: size,
      names: demonstrators.map(() => REFERENCE),
    }),
  }));
}
