/**
 * `user-sim`: trajectories in which somebody answers the policy. Who that is belongs to the environment,
 * which simulates a user by rules; where it has none, these are plain groups.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { group } from "./plain-rollouts.ts";

/** `size` trajectories from the same start, with the environment's user. */
export function userSimulation(size?: number): RolloutPart<"world-model", "group"> {
  return definePart(
    { groupSize: option(size, 8) },
    ({ groupSize }): RolloutPart<"world-model", "group"> => {
      const plain = group(groupSize);
      return { ...plain, part: "user-sim", needs: ["world-model"], around: [plain] };
    },
  );
}
