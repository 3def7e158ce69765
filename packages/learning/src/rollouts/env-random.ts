/**
 * `env-random`: budgets and faults of an environment are drawn per task, so that a policy learns to live
 * with noise and with limits it is told. One draw a group: its members meet the same environment.
 *
 * Source: LongCat/DORA (noise in environments), PARA-GRPO (budgets per prompt).
 */
import { requireInside } from "../statistics.ts";

/** Inclusive whole numbers, or a probability's interval. */
type Range = { readonly from: number; readonly to: number };

export type EnvironmentRanges = {
  readonly toolBudget: Range;
  readonly turnBudget: Range;
  /** Chance that one tool call fails for no reason. */
  readonly faultRate: Range;
};

export type World = {
  readonly toolBudget: number;
  readonly turnBudget: number;
  readonly faultRate: number;
};

/** One environment. `random` should depend on the group's seed alone. */
export function drawEnvironment(ranges: EnvironmentRanges, random: () => number): World {
  requireInside("faultRate", ranges.faultRate.from, 0, ranges.faultRate.to);
  requireInside("faultRate", ranges.faultRate.to, 0, 1);
  const whole = ({ from, to }: Range): number => from + Math.floor(random() * (to - from + 1));
  const { from, to } = ranges.faultRate;
  return {
    toolBudget: whole(ranges.toolBudget),
    turnBudget: whole(ranges.turnBudget),
    faultRate: from + random() * (to - from),
  };
}
