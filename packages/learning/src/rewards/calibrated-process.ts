/** A judge's rewards of single turns, shifted to fit the verified outcome. */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { calibratedByOutcome } from "../advantages/step-mix.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { judgedReward, type JudgeInput } from "./judge-port.ts";

/**
 * `process`: a judge rewards every turn. The rewards stay within `spread` of the verified outcome, so no step
 * of a failure earns as much as one of a success. The reward is the outcome, or the mean of the judge's
 * rewards.
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
            const ofTurns = await Promise.all(
              trajectory.turns.map((_, turn) =>
                judgedReward(judge, inputOf(trajectory, turn), signal),
              ),
            );
            const { reward } = trajectory.verification;
            const turnRewards = calibratedByOutcome(reward, ofTurns, spread);
            const mean = turnRewards.reduce((sum, paid) => sum + paid, 0) / turnRewards.length;
            return { total: pays === "turns" && ofTurns.length > 0 ? mean : reward, turnRewards };
          }),
        );
      },
    }),
  );
}
