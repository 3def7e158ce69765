/**
 * `frontier`: a proposer is paid most for tasks of intermediate pass rate, nothing for solved or
 * hopeless ones, and nothing for tasks that cannot be answered from its own evidence.
 *
 * Source: SPICE, Search Self-Play; 4p(1 − p) is our choice of the curve.
 */
import { requireInside } from "../statistics.ts";

/** All 1 at p = 0.5 and 0 at 0 and 1: 4p(1 − p), its root 2√(p(1 − p)), and 1 − |2p − 1|. */
export type FrontierCurve = "parabola" | "deviation" | "tent";

export const FRONTIER_CURVES: readonly FrontierCurve[] = ["parabola", "deviation", "tent"];

export function frontierReward(
  passRate: number,
  isAnswerable: boolean = true,
  curve: FrontierCurve = "parabola",
): number {
  requireInside("passRate", passRate, 0, 1);
  if (!isAnswerable) return 0;
  const parabola = 4 * passRate * (1 - passRate);
  if (curve === "parabola") return parabola;
  return curve === "deviation" ? Math.sqrt(parabola) : 1 - Math.abs(2 * passRate - 1);
}
