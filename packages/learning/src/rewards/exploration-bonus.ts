/**
 * `bonus`: a bonus for using tools at all, early in training; a schedule anneals its weight to 0.
 *
 * Source: SPEAR, arXiv:2509.22601 (intrinsic tool-call reward, annealed).
 */
import { toolCalls } from "../composition/judged-trajectory.ts";
import { definePart, fixed, option } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { requireInside } from "../statistics.ts";
import { rewardPart } from "./reward-part.ts";

/** weight · min(calls, most)/most: calls above `most` earn nothing. */
export function toolCallBonus(calls: number, weight: number, most: number = 1): number {
  requireInside("calls", calls, 0, Number.MAX_SAFE_INTEGER);
  requireInside("most", most, 1, Number.MAX_SAFE_INTEGER);
  return (weight * Math.min(calls, most)) / most;
}

/** `bonus`: rewards the first `most` calls, less as the stage progresses. Default 1 call. */
export function callBonus(weight: number, most?: number): RewardPart {
  return definePart({ bonusWeight: fixed(weight), bonusCalls: option(most, 1) }, (given) =>
    rewardPart("bonus", (trajectory, { step, steps }) => ({
      total: toolCallBonus(
        toolCalls(trajectory),
        given.bonusWeight * Math.max(0, 1 - step / steps),
        given.bonusCalls,
      ),
    })),
  );
}
