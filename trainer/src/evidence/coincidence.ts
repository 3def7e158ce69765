/**
 * Arms that came out the same on every task and seed. The mechanism that tells them apart was inactive
 * there, so their rows are no evidence of it.
 */
import type { RunRecord } from "./arm.ts";

/** True for two runs of different recipes that learned the same. */
export function isSameRun(a: RunRecord, b: RunRecord): boolean {
  const isComparable =
    a.recipe !== b.recipe &&
    a.environment === b.environment &&
    a.seed === b.seed &&
    a.evaluationTasks === b.evaluationTasks;
  if (!isComparable) return false;
  if (a.parameters !== undefined && b.parameters !== undefined) {
    return a.parameters === b.parameters;
  }
  // Runs of before parameters were hashed: equal outcomes of every task at an equal price.
  return (
    a.spent.sampledTokens === b.spent.sampledTokens &&
    a.spent.toolCalls === b.spent.toolCalls &&
    a.final.successes.length === b.final.successes.length &&
    a.final.successes.every((success, i) => success === b.final.successes[i])
  );
}

/** True where every seed that both have came out the same, and there is one. */
export function coincide(a: readonly RunRecord[], b: readonly RunRecord[]): boolean {
  const pairs = a.flatMap((run) => {
    const other = b.find(({ seed }) => seed === run.seed);
    return other === undefined ? [] : [{ run, other }];
  });
  return pairs.length > 0 && pairs.every(({ run, other }) => isSameRun(run, other));
}
