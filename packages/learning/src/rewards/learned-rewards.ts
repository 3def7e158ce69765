/** Rewards by models that the recipe trains itself, for whole trajectories or single turns. */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { calibratedByOutcome } from "../advantages/step-mix.ts";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RewardPart } from "../composition/part.ts";
import { logistic } from "../logistic.ts";

/** Returns the port. @throws WaggleError `CAPABILITY_MISSING` if the run has none. */
export function opened<P>(port: P | undefined, part: string, what: string): P {
  if (port === undefined) {
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `reward ${part} needs ${what}; configure one or choose another recipe`,
    );
  }
  return port;
}

/**
 * `rm`: the reward model's value at the end of a trajectory, in [0, 1]. A model trained on comparisons
 * returns `logits`, one fitted to outcomes returns `score`.
 */
export function rewardModel(unit?: "logits" | "score"): RewardPart<"rm"> {
  return definePart(
    { rewardModelUnit: option<"logits" | "score">(unit, "score", ["logits", "score"]) },
    ({ rewardModelUnit: unit }) => ({
      slot: "reward",
      part: "rm",
      needs: ["rm"],
      rewards: async ({ trajectories }, { ports }) => {
        const values = await opened(ports.rm, "rm", "a reward model")(trajectories);
        return values.map((turns) => {
          const last = turns.at(-1) ?? 0;
          return { total: unit === "logits" ? logistic(last) : unitInterval(last) };
        });
      },
    }),
  );
}

/**
 * `process`: the reward model's values after each turn, within `spread` of the verified outcome. The reward
 * is their mean over turns, so a rollout with good steps earns more than one that was lucky at the end.
 */
export function modeledProcess(spread?: number): RewardPart<"rm"> {
  return definePart({ spread: option(spread, 0.25) }, ({ spread }) => ({
    slot: "reward",
    part: "process",
    needs: ["rm"],
    rewards: async ({ trajectories }, { ports }) => {
      const values = await opened(ports.rm, "process", "a reward model")(trajectories);
      return values.map((turns, i) => {
        const rewards = turns.map(unitInterval);
        const { reward } = (trajectories[i] as JudgedTrajectory).verification;
        const mean = rewards.reduce((sum, own) => sum + own, 0) / Math.max(1, rewards.length);
        return { total: mean, turnRewards: calibratedByOutcome(reward, rewards, spread) };
      });
    },
  }));
}

function unitInterval(value: number): number {
  return Math.min(1, Math.max(0, value));
}
