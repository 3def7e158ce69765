/** Levels of a rollout, coarse ones first: could it be read, did its calls run, is it right? Not a recipe. */
import { option, definePart } from "../../composition/part-options.ts";
import type { RewardPart } from "../../composition/part.ts";
import * as parts from "../../parts.ts";
import { executionReward } from "../../rewards/exec.ts";
import { formatReward } from "../../rewards/format.ts";

/** A later level counts where the earlier one was reached: by default 0.1, 0.2 and 0.7 of the reward. */
export function readRanSolved(): RewardPart {
  return definePart(
    {
      readWeight: option(undefined, 0.1),
      ranWeight: option(undefined, 0.2),
      solvedWeight: option(undefined, 0.7),
    },
    ({ readWeight, ranWeight, solvedWeight }) =>
      parts.tiers(({ turns, verification }) => [
        { reward: formatReward(turns), weight: readWeight },
        { reward: executionReward(turns), weight: ranWeight, passesAt: 0.5 },
        { reward: verification.reward, weight: solvedWeight },
      ]),
  );
}
