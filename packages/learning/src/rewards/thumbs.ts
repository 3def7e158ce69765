/**
 * Rewards that visitors gave: a thumb up is 1, down is 0. What a verifier thinks of the rollout is not
 * looked at. Not a judge: who gives the thumb is the environment, or whoever recorded the feedback.
 */
import { WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** `feedback`: the visitor's thumb, `parts.thumb` of the judgement; without one there is no reward. */
export function thumbs(): RewardPart {
  return rewardPart("feedback", ({ id, verification }) => {
    const { thumb } = verification.parts;
    if (thumb === "up" || thumb === "down") return { total: thumb === "up" ? 1 : 0 };
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `a thumb must be up or down, got none for ${id}; learn from rollouts that somebody judged`,
    );
  });
}
