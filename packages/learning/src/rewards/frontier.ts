/**
 * `frontier`: a proposer is paid most for tasks of intermediate pass rate, nothing for solved or
 * hopeless ones, and nothing for tasks that cannot be answered from its own evidence.
 *
 * Source: SPICE, Search Self-Play; 4p(1 − p) is our choice of the curve.
 */
import { requireInside } from "../statistics.ts";

/** 4p(1 − p): 1 at p = 0.5, 0 at 0 and 1. */
export function frontierReward(passRate: number, isAnswerable: boolean = true): number {
  requireInside("passRate", passRate, 0, 1);
  return isAnswerable ? 4 * passRate * (1 - passRate) : 0;
}
