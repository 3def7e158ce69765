/** `aug-env`: the environment helps during training and answers a failed call with the accepted arguments. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { group, groupStrategy } from "./plain-rollouts.ts";

/** `size` trajectories from the same start, in the explaining environment. */
export function explainedFailures(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => ({
    slot: "rollout",
    part: "aug-env",
    needs: [],
    start: "group",
    around: [group(size)],
    strategy: () => groupStrategy({ size, environments: [{ kind: "explained" }] }),
  }));
}
