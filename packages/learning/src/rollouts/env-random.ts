/**
 * `env-random`: draws budgets and faults of an environment for each task, so that a policy learns to handle
 * noise and stated limits. All members of a group get the same draw.
 *
 * Source: LongCat/DORA (noise in environments), PARA-GRPO (budgets per prompt).
 */
import { requireInside } from "../statistics.ts";

/** An inclusive range of whole numbers, or of a probability. */
type Range = { readonly from: number; readonly to: number };

export type EnvironmentRanges = {
  readonly toolBudget: Range;
  readonly turnBudget: Range;
  /** Probability that a tool call fails at random. */
  readonly faultRate: Range;
};

export type DrawnEnvironment = {
  readonly toolBudget: number;
  readonly turnBudget: number;
  readonly faultRate: number;
};

/** Draws one environment. `random` must depend only on the group's seed. */
export function drawEnvironment(ranges: EnvironmentRanges, random: () => number): DrawnEnvironment {
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
