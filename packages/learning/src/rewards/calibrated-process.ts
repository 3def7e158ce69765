/** Scores of single turns by a judge, moved so that their mean fits the verified outcome. */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { calibratedByOutcome } from "../advantages/step-mix.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { judgedReward, type JudgeInput } from "./judge-port.ts";

/**
 * `process`: a judge scores every turn; the scores move around the verified outcome by at most `spread`,
 * so that no step of a failure is worth one of a success. The reward itself is the outcome, or the mean
 * of the turns as the judge sees them.
 */
export function calibratedProcess(
  inputOf: (trajectory: JudgedTrajectory, turn: number) => JudgeInput,
  spread?: number,
  pays?: "outcome" | "turns",
): RewardPart<"judge"> {
  return definePart(
    {
      spread: option(spread, 0.25),
      calibratedProcessPays: option<"outcome" | "turns">(pays, "outcome", ["outcome", "turns"]),
    },
    ({ spread, calibratedProcessPays: pays }) => ({
      slot: "reward",
      part: "process",
      needs: ["judge"],
      rewards: async ({ trajectories }, { ports: { judge }, signal }) => {
        if (judge === undefined) {
          throw new WaggleError(
            "CAPABILITY_MISSING",
            "reward process needs a judge, got none; open one for the run or choose another recipe",
          );
        }
        return Promise.all(
          trajectories.map(async (trajectory) => {
            const scores = await Promise.all(
              trajectory.turns.map((_, turn) =>
                judgedReward(judge, inputOf(trajectory, turn), signal),
              ),
            );
            const { reward } = trajectory.verification;
            const turnRewards = calibratedByOutcome(reward, scores, spread);
            const mean = turnRewards.reduce((sum, paid) => sum + paid, 0) / turnRewards.length;
            return { total: pays === "turns" && scores.length > 0 ? mean : reward, turnRewards };
          }),
        );
      },
    }),
  );
}
