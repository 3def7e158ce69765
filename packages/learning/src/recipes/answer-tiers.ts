/** Levels of an attempt, coarse ones first: could it be read, did its calls run, is it right? Not a recipe. */
import type { Episode } from "../composition/episode.ts";
import { executionReward } from "../rewards/exec.ts";
import { formatReward } from "../rewards/format.ts";
import type { Tier } from "../rewards/combinators.ts";

/** A later level counts where the earlier one was reached: 0.1, 0.2 and 0.7 of the reward. */
export function readRanSolved({ turns, verification }: Episode): readonly Tier[] {
  return [
    { score: formatReward(turns), weight: 0.1 },
    { score: executionReward(turns), weight: 0.2, passesAt: 0.5 },
    { score: verification.reward, weight: 0.7 },
  ];
}
