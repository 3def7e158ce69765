/** One role maintains a memory and another answers from it; they do not share a context. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { foldedStrategy } from "./folded.ts";
import { group, single } from "./plain-rollouts.ts";

/**
 * `group`: `size` rollouts at each task, in an environment with a memory. The `manager` gets each line and
 * answers with one memory operation; the `answerer` gets the question. Each turn is a `single` trajectory.
 */
export function managedMemory(
  managed: { readonly manager: string; readonly answerer: string },
  size?: number,
): RolloutPart<"memory-bank", "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize }) => ({
    slot: "rollout",
    part: "group",
    start: "group",
    needs: ["memory-bank"],
    strategy: () =>
      foldedStrategy({ mistakes: null, consolidates: false, size: groupSize, managed }),
    around: [group(groupSize), single(1)],
  }));
}
