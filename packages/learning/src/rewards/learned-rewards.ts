/** Rewards by models that the recipe trains itself: of whole trajectories or of single turns. */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { calibratedByOutcome } from "../advantages/step-mix.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { logistic } from "../logistic.ts";

export function opened<P>(port: P | undefined, part: string, what: string): P {
  if (port === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `reward ${part} needs ${what}, got none; open one for the run or choose another recipe`,
    );
  }
  return port;
}

/**
 * `rm`: what the reward model says at the end of a trajectory, in [0, 1]. A model that was trained on
 * comparisons speaks in `logits`, one that was fitted to outcomes in their `score`s.
 */
export function rewardModel(unit?: "logits" | "score"): RewardPart<"rm"> {
  return definePart(
    { rewardModelUnit: option<"logits" | "score">(unit, "score", ["logits", "score"]) },
    ({ rewardModelUnit: unit }) => ({
      slot: "reward",
      part: "rm",
      needs: ["rm"],
      rewards: async ({ trajectories }, { ports }) => {
        const said = await opened(ports.rm, "rm", "a reward model")(trajectories);
        return said.map((turns) => {
          const last = turns.at(-1) ?? 0;
          return { total: unit === "logits" ? logistic(last) : unitInterval(last) };
        });
      },
    }),
  );
}

/**
 * `process`: what the reward model expects after each turn, moved around the verified outcome by at most
 * `spread`. The reward itself is the mean over turns: a rollout whose steps were promising all the way
 * earns more than one that was lucky at the end.
 */
export function modelledProcess(spread?: number): RewardPart<"rm"> {
  return definePart({ spread: option(spread, 0.25) }, ({ spread }) => ({
    slot: "reward",
    part: "process",
    needs: ["rm"],
    rewards: async ({ trajectories }, { ports }) => {
      const said = await opened(ports.rm, "process", "a reward model")(trajectories);
      return said.map((turns, i) => {
        const scores = turns.map(unitInterval);
        const { reward } = (trajectories[i] as JudgedTrajectory).verification;
        const mean = scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
        return { total: mean, turnRewards: calibratedByOutcome(reward, scores, spread) };
      });
    },
  }));
}

function unitInterval(value: number): number {
  return Math.min(1, Math.max(0, value));
}
