/**
 * `team`: one number for several agents, from what each of them earned or from the joint outcome. Not
 * per-agent credit: all are paid alike.
 *
 * Source: MAGRPO, CORY; `worst` as in hide-and-seek's all-or-nothing payoffs (multi-agent autocurricula).
 */
import { meanOf, requireFiniteRewards, requireInside, sumOf } from "../statistics.ts";

export type TeamRule = "mean" | "sum" | "worst" | "best";

export const TEAM_RULES: readonly TeamRule[] = ["mean", "sum", "worst", "best"];

/** `[agents]` the same reward for each. */
export function teamReward(own: readonly number[], rule: TeamRule): number[] {
  requireInside("number of agents", own.length, 1, Number.MAX_SAFE_INTEGER);
  requireFiniteRewards(own);
  const joint = {
    mean: meanOf,
    sum: sumOf,
    worst: (values: readonly number[]) => Math.min(...values),
    best: (values: readonly number[]) => Math.max(...values),
  }[rule](own);
  return own.map(() => joint);
}

/** Two sides of a game: what one side gains the other loses. `[sides]` = score of each minus the other's. */
export function zeroSumReward(scores: readonly [number, number]): [number, number] {
  requireFiniteRewards(scores);
  return [scores[0] - scores[1], scores[1] - scores[0]];
}
