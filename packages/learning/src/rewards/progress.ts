/**
 * `progress`: the share of sub-goals reached, and what each turn added to it. Paid as differences it
 * telescopes: the sum over turns is the final share, so a goal reached twice pays once.
 *
 * Source: Planner-R1, LOGIGEN (progress of goal-state facts); potential-based shaping, Ng et al. 1999.
 */
import { requireInside } from "../statistics.ts";

/** Share of goals that hold, by weight; weights default to 1. */
export function progressReward(
  goals: readonly { readonly reached: boolean; readonly weight?: number }[],
): number {
  const total = goals.reduce((sum, { weight = 1 }) => sum + weight, 0);
  requireInside("total weight of goals", total, Number.MIN_VALUE, Number.MAX_VALUE);
  return goals.reduce((sum, { reached, weight = 1 }) => sum + (reached ? weight : 0), 0) / total;
}

/**
 * `[turns]` what each turn added: progress after it minus progress before it.
 *
 * @param progress - `[turns]` share reached after each turn.
 * @param start - before the first turn. Default 0.
 */
export function progressGains(progress: readonly number[], start: number = 0): number[] {
  return progress.map((now, t) => now - (t === 0 ? start : progress[t - 1]!));
}
