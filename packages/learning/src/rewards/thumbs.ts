/**
 * Rewards from visitors: thumbs up is 1, thumbs down 0. Ignores the verifier's reward. The thumb comes from
 * the environment or from recorded feedback.
 */
import { WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** `feedback`: the visitor's thumb, `parts.thumb` of the verification; without one there is no reward. */
export function thumbs(): RewardPart {
  const part = rewardPart("feedback", ({ id, verification }) => {
    const { thumb } = verification.parts;
    if (thumb === "up" || thumb === "down") return { total: thumb === "up" ? 1 : 0 };
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `reward feedback needs a visitor's thumb, got trajectory ${id} without one; train only on trajectories with feedback`,
    );
  });
  return { ...part, readsThumbs: true };
}
