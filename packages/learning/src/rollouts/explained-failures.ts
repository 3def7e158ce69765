/** `aug-env`: the environment helps while the policy learns: a failed call is answered with what tools take. */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { group } from "./plain-rollouts.ts";

/** `size` trajectories from the same start, in the environment that explains. */
export function explainedFailures(size?: number): RolloutPart<never, "group"> {
  return definePart({ groupSize: option(size, 8) }, ({ groupSize: size }) => ({
    slot: "rollout",
    part: "aug-env",
    needs: [],
    start: "group",
    around: [group(size)],
    plan: () => ({ kind: "group", size, environments: [{ kind: "explained" }] }),
  }));
}
