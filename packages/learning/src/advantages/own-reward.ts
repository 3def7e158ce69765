/** The reward itself as the advantage, without a baseline: for imitation, where every kept trajectory is good. */
import type { AdvantagePart } from "../composition/part.ts";
import { advantagePart, byRewards } from "./credit.ts";

/** `own-reward`: every token has the reward of its trajectory. */
export function ownReward(): AdvantagePart<never, "single"> {
  return advantagePart("own-reward", "single", (groups) => byRewards(groups, (rewards) => rewards));
}
