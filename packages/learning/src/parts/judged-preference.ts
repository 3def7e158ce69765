/** Preferences that somebody else has, and rewards that count what a run satisfies. */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import { dial, made } from "../composition/making.ts";
import type { RewardPart } from "../composition/part.ts";
import { type JudgeInput, judgedReward } from "../rewards/judge-port.ts";
import { satisfiedShare, type Specification } from "../rewards/specifications.ts";
import { rewardPart } from "./rewards.ts";

/**
 * `preference`: the share of the other rollouts at its task that a judge scores lower; half a point
 * where neither is. Rollouts of one task are compared among themselves.
 */
export function judgedPreference(
  inputOf: (trajectory: JudgedTrajectory) => JudgeInput,
  votes?: number,
): RewardPart<"judge"> {
  return made({ votes: dial(votes, 1) }, (given) => preferredBy(inputOf, given.votes));
}

function preferredBy(
  inputOf: (trajectory: JudgedTrajectory) => JudgeInput,
  votes: number,
): RewardPart<"judge"> {
  return {
    slot: "reward",
    part: "preference",
    needs: ["judge"],
    score: async ({ trajectories }, { ports: { judge }, signal }) => {
      if (judge === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          "reward preference needs a judge, got none; open one for the run or choose another recipe",
        );
      }
      const scores = await Promise.all(
        trajectories.map((trajectory) => judgedReward(judge, inputOf(trajectory), signal, votes)),
      );
      return scores.map((own, i) => {
        const others = scores.filter((_, j) => j !== i);
        const wins = others.reduce((sum, other) => sum + (1 + Math.sign(own - other)) / 2, 0);
        return { reward: others.length === 0 ? 0.5 : wins / others.length };
      });
    },
  };
}

/** `outcome`: the share of specifications that the run satisfies, turn by turn; no model says so. */
export function specifications(
  of: (trajectory: JudgedTrajectory) => readonly Specification<JudgedTurn>[],
): RewardPart {
  return rewardPart("outcome", (trajectory) => ({
    reward: satisfiedShare(trajectory.turns, of(trajectory)),
  }));
}
