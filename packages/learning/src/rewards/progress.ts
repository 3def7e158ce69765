/** What the environment pays for single turns. */
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** `progress`: the environment's pay for single turns and the rest at the end, or all of it at the end. */
export function progress(payment?: "turn" | "trajectory"): RewardPart {
  return definePart({ payment: option(payment, "turn", ["turn", "trajectory"]) }, (given) =>
    rewardPart("progress", ({ verification: { reward }, turns }) =>
      given.payment === "trajectory"
        ? { total: reward, turnRewards: turns.map((_, i) => (i === turns.length - 1 ? reward : 0)) }
        : { total: reward, turnRewards: turns.map((turn) => turn.reward ?? 0) },
    ),
  );
}
