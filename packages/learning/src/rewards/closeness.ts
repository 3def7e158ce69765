/** `closeness`: a reward that is continuous in the distance from the wanted result. */
import { WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/**
 * The closeness that the environment measures, in [0, 1]; 1 for the wanted result itself.
 *
 * Source: the dense point reward of "Enhancing Visual Grounding for GUI Agents via Self-Evolutionary
 * Reinforcement Learning" (SE-GUI).
 * Differs from it: the distance is between values that have an order, not between points on a screen.
 *
 * @throws WaggleError `REWARD_UNAVAILABLE` if the environment measures no closeness.
 */
export function closeness(): RewardPart {
  return {
    ...rewardPart("closeness", ({ verification: { parts } }) => {
      const near = parts["closeness"];
      if (typeof near === "number" && Number.isFinite(near)) return { total: near };
      throw new WaggleError(
        "REWARD_UNAVAILABLE",
        "reward closeness needs an environment that measures closeness, such as form",
      );
    }),
    reads: ["closeness"],
  };
}
