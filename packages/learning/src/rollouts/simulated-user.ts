/**
 * `user-sim`: trajectories with a simulated user. The environment simulates the user by rules; in an
 * environment without a user these are plain groups.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { group } from "./plain-rollouts.ts";

/** `size` trajectories from the same start, with the environment's simulated user. */
export function userSimulation(size?: number): RolloutPart<"world-model", "group"> {
  return definePart(
    { groupSize: option(size, 8) },
    ({ groupSize }): RolloutPart<"world-model", "group"> => {
      const plain = group(groupSize);
      return { ...plain, part: "user-sim", needs: ["world-model"], around: [plain] };
    },
  );
}
