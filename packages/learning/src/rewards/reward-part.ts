/** How reward parts are made, one trajectory at a time. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { PartContext, RewardPart, Score } from "../composition/part.ts";

/** A reward under its name, one trajectory at a time. */
export function rewardPart(
  part: string,
  score: (trajectory: JudgedTrajectory, context: PartContext) => Score,
): RewardPart {
  return {
    slot: "reward",
    part,
    needs: [],
    score: ({ trajectories }, context) =>
      trajectories.map((trajectory) => score(trajectory, context)),
  };
}
