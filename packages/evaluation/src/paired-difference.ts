/**
 * Compares two policies on the same tasks. Only tasks on which they disagree are informative.
 *
 * Source: McNemar 1947, Psychometrika 12(2), with the exact two-sided binomial p-value; interval by
 * Agresti & Min 2005, "Simple improved confidence intervals for comparing matched proportions",
 * Statistics in Medicine 24(5), section 2 (half a count added to each cell).
 */
import { WaggleError } from "@waggle/protocol";
import { Z_95 } from "./interval.ts";
import type { Interval } from "./interval.ts";

/** Result of the comparison. */
export type PairedDifference = {
  readonly tasks: number;
  /** Tasks that only the candidate solved. */
  readonly gained: number;
  /** Tasks that only the baseline solved. */
  readonly lost: number;
  /** Rate of the candidate minus rate of the baseline. */
  readonly difference: number;
  /** 95 % confidence interval of the difference. */
  readonly interval: Interval;
  /** Exact two-sided p-value of "no difference"; 1 if they never disagree. */
  readonly pValue: number;
};

/**
 * The difference candidate − baseline. Entry i of both lists belongs to the same task.
 * @throws WaggleError `SHAPE_MISMATCH` if the lengths differ, `INVALID_ARGUMENT` without tasks.
 */
export function pairedDifference(
  baseline: readonly boolean[],
  candidate: readonly boolean[],
): PairedDifference {
  const tasks = baseline.length;
  if (candidate.length !== tasks) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `got ${tasks} baseline and ${candidate.length} candidate outcomes; compare both policies on the same tasks`,
    );
  }
  if (tasks === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "a paired difference cannot be computed without tasks",
    );
  }
  const gained = candidate.filter((success, index) => success && !baseline[index]).length;
  const lost = baseline.filter((success, index) => success && !candidate[index]).length;
  return {
    tasks,
    gained,
    lost,
    difference: (gained - lost) / tasks,
    interval: agrestiMin(gained, lost, tasks),
    pValue: exactMcNemar(gained, lost),
  };
}

/** 95 % interval of the difference `gained − lost` as a share of the tasks. */
export function agrestiMin(gained: number, lost: number, tasks: number): Interval {
  const n = tasks + 2;
  const up = (gained + 0.5) / n;
  const down = (lost + 0.5) / n;
  const half = Z_95 * Math.sqrt((up + down - (up - down) ** 2) / n);
  return { low: Math.max(-1, up - down - half), high: Math.min(1, up - down + half) };
}

/**
 * Exact two-sided p-value of "no difference" between two policies, from the tasks that only one solved:
 * 2 · P(X ≤ min) for X ~ Binomial(gained + lost, ½), at most 1. Computed in logarithms because 2^-n underflows.
 */
export function exactMcNemar(gained: number, lost: number): number {
  const n = gained + lost;
  let logTerm = -n * Math.LN2;
  let tail = Math.exp(logTerm);
  for (let k = 1; k <= Math.min(gained, lost); k++) {
    logTerm += Math.log((n - k + 1) / k);
    tail += Math.exp(logTerm);
  }
  return Math.min(1, 2 * tail);
}
