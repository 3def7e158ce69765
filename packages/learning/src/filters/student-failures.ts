/**
 * `student-fail`: data is made, or a stronger teacher asked, only where the student fails or does not
 * know.
 *
 * Source: Meissa (the tier rises where the student fails), AgenticQwen, TT-SI (uncertain cases).
 */
import { requireInside, requireSameLength } from "../statistics.ts";
import { type Selection, selectBy } from "./selection.ts";

export type StudentRecord = {
  /** Share of attempts solved. */
  readonly passRate: number;
  /** Margin between the two likeliest answers or actions, in [0, 1]; `null` where not measured. */
  readonly confidence: number | null;
};

/** Keeps tasks solved at most `mostPassRate` of the time, or answered with less than `leastConfidence`. */
export function studentFailures(
  records: readonly StudentRecord[],
  options: { readonly mostPassRate: number; readonly leastConfidence: number },
): Selection {
  return selectBy(records, ({ passRate, confidence }) => {
    requireInside("passRate", passRate, 0, 1);
    if (passRate <= options.mostPassRate) return null;
    return confidence !== null && confidence < options.leastConfidence ? null : "already-known";
  });
}

/**
 * `[N]` the first tier (0 = cheapest teacher) that solves the task, `null` where none does.
 *
 * @param solved - `[tiers][N]`
 */
export function cheapestSolvingTier(solved: readonly (readonly boolean[])[]): (number | null)[] {
  const tasks = solved[0]?.length ?? 0;
  for (const row of solved) requireSameLength("solved tier", row.length, "first tier", tasks);
  return Array.from({ length: tasks }, (_, i) => {
    const tier = solved.findIndex((row) => row[i]);
    return tier < 0 ? null : tier;
  });
}
