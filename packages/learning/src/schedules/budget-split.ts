/**
 * `budget-split`: one budget, shared between supervised and reinforcement learning in every proportion,
 * so that "SFT first?" is answered at equal cost.
 *
 * Source: meow-tea-taro (SFT share of a fixed budget).
 */
import { requireInside } from "../statistics.ts";

export type BudgetSplit = {
  readonly share: number;
  /** Units (tokens, episodes) for demonstrations; the rest is for rollouts. */
  readonly supervised: number;
  readonly reinforced: number;
};

/** `points` shares from 0 to 1, evenly; whole units that sum to the budget each time. */
export function budgetSweep(budget: number, points: number): BudgetSplit[] {
  requireInside("points", points, 2, Number.MAX_SAFE_INTEGER);
  return Array.from({ length: points }, (_, i) => splitBudget(budget, i / (points - 1)));
}

/** @param costRatio - units that one demonstration costs per unit of rollout. Default 1. */
export function splitBudget(budget: number, share: number, costRatio: number = 1): BudgetSplit {
  requireInside("share", share, 0, 1);
  const forDemonstrations = Math.round(budget * share);
  return {
    share,
    supervised: Math.floor(forDemonstrations / costRatio),
    reinforced: budget - forDemonstrations,
  };
}
