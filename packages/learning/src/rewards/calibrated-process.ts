/** A judge's scores of single turns, shifted to fit the verified outcome. */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { calibratedByOutcome } from "../advantages/step-mix.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { judgedReward, type JudgeInput } from "./judge-port.ts";

/**
 * `process`: a judge scores every turn. The scores stay within `spread` of the verified outcome, so no step
 * of a failure scores as high as one of a success. The reward is the outcome, or the mean of the judge's
 * scores.
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
            "reward process needs a judge; configure one or choose another recipe",
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
