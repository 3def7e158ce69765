/** The share of the other trajectories of a task that a trajectory is preferred to. */
import { type JudgedTrajectory, toolCalls } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";

/**
 * `preference`: the share of the other rollouts of the task that a rollout is preferred to. Default: the
 * better outcome, then fewer calls. A tie counts one half.
 */
export function preference(
  compare: (a: JudgedTrajectory, b: JudgedTrajectory) => number = (a, b) =>
    a.verification.reward - b.verification.reward || toolCalls(b) - toolCalls(a),
): RewardPart {
  return {
    slot: "reward",
    part: "preference",
    needs: [],
    rewards: ({ trajectories }) =>
      trajectories.map((a) => {
        const others = trajectories.filter((b) => b !== a);
        const wins = others.reduce((sum, b) => sum + (1 + Math.sign(compare(a, b))) / 2, 0);
        return { total: others.length === 0 ? 0.5 : wins / others.length };
      }),
  };
}
