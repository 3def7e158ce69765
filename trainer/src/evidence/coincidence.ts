/**
 * Arms with the same results on every task of a seed. The mechanism in which they differ was
 * inactive there, so their rows are no evidence for it.
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

/**
 * True if the two are the same run with all shared seeds, or with any seed if the parameters are equal too. A mechanism
 * that is inactive with one seed is not what the row measures there. Equal results at equal cost with one seed are
 * not enough: two imitation recipes sample the same number of tokens, and both may solve the same tasks.
 */
export function coincide(a: readonly RunRecord[], b: readonly RunRecord[]): boolean {
  const pairs = a.flatMap((run) => {
    const other = b.find(({ seed }) => seed === run.seed);
    return other === undefined ? [] : [{ run, other, isSame: isSameRun(run, other) }];
  });
  return (
    pairs.some(({ run, other, isSame }) => isSame && run.parameters === other.parameters) ||
    (pairs.length > 0 && pairs.every(({ isSame }) => isSame))
  );
}
