/**
 * Decides whether a candidate may replace the stable version, from counts on the same frozen tasks. Trainer
 * and edge compute it from the same numbers. Inconsistent counts are refused.
 */
import { exactMcNemar } from "./paired-difference.ts";

/** Results of both versions on the same tasks. */
export type PairedCounts = {
  readonly tasks: number;
  readonly successes: number;
  readonly stableSuccesses: number;
  /** Tasks that only the candidate solved. */
  readonly gained: number;
  /** Tasks that only the stable version solved. */
  readonly lost: number;
};

/** How far the success rate may fall. */
export type FallLimits = {
  /** Largest drop in success rate that still counts as noise. */
  readonly margin: number;
  /** Paired p-value below which a drop counts as real. */
  readonly significance: number;
};

/** What the gate requires. */
export type GateThresholds = FallLimits & { readonly minTasks: number };

/**
 * Why a candidate counts as worse than another version, as a sentence; `null` if it does not. The margin
 * tolerates noise of a few tasks. Many falls, each too small to be significant, can still add up, so keep
 * the margin small. The gate applies this rule, and so does a trainer to any other pair of versions.
 */
export function fallRefusal(
  { tasks, gained, lost }: Pick<PairedCounts, "tasks" | "gained" | "lost">,
  { margin, significance }: FallLimits,
): string | null {
  const fall = (lost - gained) / tasks;
  if (fall > margin) {
    return `the success rate fell by ${fall.toFixed(3)}; the gate allows ${margin}`;
  }
  const pValue = exactMcNemar(gained, lost);
  if (fall > 0 && pValue < significance) {
    return `the success rate fell by ${fall.toFixed(3)} with p = ${pValue.toFixed(4)}; the gate needs ${significance}`;
  }
  return null;
}

/**
 * A few unreadable turns are noise, so the margin is wide and the paired test decides. An unreadable turn that costs its
 * task also counts in the success rate, so that many small falls do not add up.
 */
const READABILITY_LIMITS: FallLimits = { margin: 0.1, significance: 0.05 };

/**
 * Why a candidate's output counts as less readable than another version's, as a sentence; `null` if it does not. Where
 * success rises significantly, visitors gain more than they lose, so only the margin applies.
 *
 * @param readable - tasks without unreadable turns
 * @param success - solved tasks
 */
export function readabilityRefusal(
  readable: Pick<PairedCounts, "tasks" | "gained" | "lost">,
  success: Pick<PairedCounts, "gained" | "lost">,
): string | null {
  const { gained, lost } = success;
  const hasRisen = gained > lost && exactMcNemar(gained, lost) < READABILITY_LIMITS.significance;
  const limits = hasRisen ? { ...READABILITY_LIMITS, significance: 0 } : READABILITY_LIMITS;
  return fallRefusal(readable, limits);
}

/** Why the candidate may not be promoted, as a sentence; `null` if it may. */
export function gateRefusal(counts: PairedCounts, gate: GateThresholds): string | null {
  const { tasks, successes, stableSuccesses, gained, lost } = counts;
  const both = successes - gained;
  const isConsistent =
    both >= 0 && stableSuccesses === both + lost && both + gained + lost <= tasks;
  if (!isConsistent) return "the evaluation's counts contradict each other";
  if (tasks < gate.minTasks) {
    return `the evaluation has ${tasks} tasks; the gate needs at least ${gate.minTasks}`;
  }
  if (successes === 0 && stableSuccesses === 0) {
    return `neither version solved any of the ${tasks} tasks, so they cannot be compared`;
  }
  if (successes === 0) {
    return `the candidate solved none of the ${tasks} tasks; the stable version solved ${stableSuccesses}`;
  }
  return fallRefusal(counts, gate);
}
