/**
 * `bonus`: pay for using tools at all, early in training, with a weight that a schedule takes to 0.
 *
 * Source: SPEAR, arXiv:2509.22601 (intrinsic tool-call reward, annealed).
 */
import { requireInside } from "../statistics.ts";

/** weight · min(calls, most)/most: more than `most` calls earn no more. */
export function toolCallBonus(calls: number, weight: number, most: number = 1): number {
  requireInside("calls", calls, 0, Number.MAX_SAFE_INTEGER);
  requireInside("most", most, 1, Number.MAX_SAFE_INTEGER);
  return (weight * Math.min(calls, most)) / most;
}
