/** `closeness`: pay that is continuous in how near a trajectory came to what was wanted. */
import { WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/**
 * What the environment measures of a near miss, in [0, 1]; 1 is the wanted result itself.
 *
 * Source: the dense point reward of "Enhancing Visual Grounding for GUI Agents via Self-Evolutionary
 * Reinforcement Learning" (SE-GUI).
 * Differs from it: the distance is between values that have an order, not between points on a screen.
 *
 * @throws WaggleError `REWARD_UNAVAILABLE` where the environment measures no closeness.
 */
export function closeness(): RewardPart {
  return {
    ...rewardPart("closeness", ({ verification: { parts } }) => {
      const near = parts["closeness"];
      if (typeof near === "number" && Number.isFinite(near)) return { total: near };
      throw new WaggleError(
        "REWARD_UNAVAILABLE",
        "the reward is the environment's closeness, got an environment that measures none; choose one that does, such as form",
      );
    }),
    reads: ["closeness"],
  };
}
