/** Counts of outcomes for the operator's summary, from the tables that triggers maintain. */
import type { OperatorSummary, SiteMetrics } from "@waggle/protocol";
import type { SiteDatabase } from "../sites/site-database.ts";

/** Metrics in the summary, including those that are no longer declared. */
const MOST_ROWS = 200;

type OutcomeSummary = NonNullable<OperatorSummary["outcomes"]>;
type Tally = Omit<OutcomeSummary["byMetric"][number], "mean" | "deviation"> & {
  total: number;
  squares: number;
};

/** Each metric with outcomes, once per source. */
export async function summarizeOutcomes(
  db: SiteDatabase,
  declared: SiteMetrics,
  live: Pick<OutcomeSummary, "liveTrajectories" | "withOutcome">,
): Promise<OutcomeSummary> {
  const { results } = await db
    .prepare(
      `SELECT metric, type, source, count, total, squares FROM outcomeTallies
       WHERE site = ?site AND count > 0 ORDER BY metric, source, type LIMIT ${MOST_ROWS}`,
    )
    .bind()
    .all<Tally>();
  const byMetric = results.map(({ total, squares, ...row }) => {
    const mean = total / row.count;
    // Rounding can make the difference of two almost equal numbers negative.
    const deviations = Math.max(0, squares - total * mean);
    const deviation = row.count < 2 ? null : Math.sqrt(deviations / (row.count - 1));
    return { ...row, mean, deviation };
  });
  return { declared, byMetric, ...live };
}
