/** Constructors of reward parts that judge one trajectory at a time. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { PartContext, RewardPart, Reward } from "../composition/part.ts";

/** A named reward, computed one trajectory at a time. */
export function rewardPart(
  part: string,
  rewardOf: (trajectory: JudgedTrajectory, context: PartContext) => Reward,
): RewardPart {
  return {
    slot: "reward",
    part,
    needs: [],
    rewards: ({ trajectories }, context) =>
      trajectories.map((trajectory) => rewardOf(trajectory, context)),
  };
}
