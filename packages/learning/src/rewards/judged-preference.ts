/** The share of the other trajectories of a task that a judge ranks lower. */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { judgedReward, type JudgeInput } from "./judge-port.ts";

/**
 * `preference`: the share of the other rollouts of the task to which a judge gives a lower reward; a tie counts one half.
 */
export function judgedPreference(
  inputOf: (trajectory: JudgedTrajectory) => JudgeInput,
  votes?: number,
): RewardPart<"judge"> {
  return definePart({ votes: option(votes, 1) }, (given) => preferredBy(inputOf, given.votes));
}

function preferredBy(
  inputOf: (trajectory: JudgedTrajectory) => JudgeInput,
  votes: number,
): RewardPart<"judge"> {
  return {
    slot: "reward",
    part: "preference",
    needs: ["judge"],
    rewards: async ({ trajectories }, { ports: { judge }, signal }) => {
      if (judge === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          "reward preference needs a judge; configure one or choose another recipe",
        );
      }
      const rewards = await Promise.all(
        trajectories.map((trajectory) => judgedReward(judge, inputOf(trajectory), signal, votes)),
      );
      return rewards.map((own, i) => {
        const others = rewards.filter((_, j) => j !== i);
        const wins = others.reduce((sum, other) => sum + (1 + Math.sign(own - other)) / 2, 0);
        return { total: others.length === 0 ? 0.5 : wins / others.length };
      });
    },
  };
}
