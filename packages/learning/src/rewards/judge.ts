/** A judge's reward. */
import { WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { judgedReward } from "./judge-port.ts";

/** `judge`: a judge's reward, the median of `votes`. If it cannot judge, there is no reward. */
export function judge(
  inputOf: (trajectory: JudgedTrajectory) => {
    readonly request: string;
    readonly transcript: string;
  },
  votes?: number,
): RewardPart<"judge"> {
  return definePart({ votes: option(votes, 1) }, (given) => judgedBy(inputOf, given.votes));
}

function judgedBy(
  inputOf: (trajectory: JudgedTrajectory) => {
    readonly request: string;
    readonly transcript: string;
  },
  votes: number,
): RewardPart<"judge"> {
  return {
    slot: "reward",
    part: "judge",
    needs: ["judge"],
    rewards: async ({ trajectories }, { ports, signal }) => {
      const port = ports.judge;
      if (port === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          "reward judge needs a judge; configure one or choose another recipe",
        );
      }
      const rewards = trajectories.map((trajectory) =>
        judgedReward(port, inputOf(trajectory), signal, votes),
      );
      return (await Promise.all(rewards)).map((total) => ({ total }));
    },
  };
}
