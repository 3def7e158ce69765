/**
 * `bonus`: pay for using tools at all, early in training, with a weight that a schedule takes to 0.
 *
 * Source: SPEAR, arXiv:2509.22601 (intrinsic tool-call reward, annealed).
 */
import { toolCalls } from "../composition/judged-trajectory.ts";
import { fixedAll, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { requireInside } from "../statistics.ts";
import { rewardPart } from "./reward-part.ts";

/** weight · min(calls, most)/most: more than `most` calls earn no more. */
export function toolCallBonus(calls: number, weight: number, most: number = 1): number {
  requireInside("calls", calls, 0, Number.MAX_SAFE_INTEGER);
  requireInside("most", most, 1, Number.MAX_SAFE_INTEGER);
  return (weight * Math.min(calls, most)) / most;
}

/** `bonus`: pays the first calls, less and less as the stage goes on. */
export function callBonus(weight: number, most = 1): RewardPart {
  return definePart(fixedAll({ weight, most }), () =>
    rewardPart("bonus", (trajectory, { step, steps }) => ({
      total: toolCallBonus(toolCalls(trajectory), weight * Math.max(0, 1 - step / steps), most),
    })),
  );
}
