/** `similarity`: ordered similarity between a trajectory and a reference trajectory of its group. */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { sequenceSimilarity } from "./similarity.ts";

/** The compared items: calls as strings, and the final text. */
function comparedSteps({ turns }: JudgedTrajectory): string[] {
  return turns.flatMap(({ toolCalls }) =>
    toolCalls.length === 0
      ? ["(answer)"]
      : toolCalls.map((call) => JSON.stringify([call.name, call.arguments])),
  );
}

/**
 * The highest similarity to the references of the group.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a group without a reference.
 */
export function likeReference(): RewardPart {
  return {
    slot: "reward",
    part: "similarity",
    needs: [],
    rewards: ({ task, trajectories }) => {
      const references = trajectories.filter(({ role }) => role === "reference").map(comparedSteps);
      if (references.length === 0) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `the group of ${task} has no reference, which reward similarity needs; use a rollout part with references`,
        );
      }
      return trajectories.map((trajectory) => {
        const steps = comparedSteps(trajectory);
        const likeness = references.map((reference) => sequenceSimilarity(steps, reference));
        return { total: Math.max(...likeness) };
      });
    },
  };
}
