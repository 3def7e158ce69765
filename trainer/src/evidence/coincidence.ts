/**
 * Arms with the same results on every task and seed. The mechanism in which they differ was
 * inactive, so their rows are no evidence for it.
 */
import type { RunRecord } from "./arm.ts";

/**
 * True for two runs of different recipes that solve the same held-out tasks and have the same parameters or the
 * same cost. Parameters alone do not tell: recipes without gradients differ in what they read, and rewards that
 * differ by a factor give advantages that differ in the last bit.
 */
export function isSameRun(a: RunRecord, b: RunRecord): boolean {
  const isComparable =
    a.recipe !== b.recipe &&
    a.environment === b.environment &&
    a.seed === b.seed &&
    a.evaluationTasks === b.evaluationTasks &&
    a.final.successes.every((success, i) => success === b.final.successes[i]);
  const isEqualCost =
    a.spent.sampledTokens === b.spent.sampledTokens && a.spent.toolCalls === b.spent.toolCalls;
  return isComparable && (a.parameters === b.parameters || isEqualCost);
}

/** True if the two share at least one seed and all shared seeds have the same result. */
export function coincide(a: readonly RunRecord[], b: readonly RunRecord[]): boolean {
  const pairs = a.flatMap((run) => {
    const other = b.find(({ seed }) => seed === run.seed);
    return other === undefined ? [] : [{ run, other }];
  });
  return pairs.length > 0 && pairs.every(({ run, other }) => isSameRun(run, other));
}
