/**
 * Outcomes that are joined by visitor: each is about the visitor's newest request at its time. It names any request of
 * theirs, so that no name of a visitor leaves the edge.
 */
import type { SiteDatabase } from "../sites/site-database.ts";
import type { CheckedOutcome } from "./outcome-check.ts";

/** Practice has no outcomes, so it is neither named nor found. */
const NEWEST = `
  SELECT (SELECT n.id FROM trajectories t CROSS JOIN trajectories n ON n.visitorId = t.visitorId AND n.site = t.site
      WHERE t.id = o.value ->> 'trajectoryId' AND t.site = ?site AND t.assignmentId IS NULL
        AND n.assignmentId IS NULL AND n.receivedAt <= o.value ->> 'occurredAt'
      ORDER BY n.receivedAt DESC, n.digest DESC LIMIT 1) AS newest
  FROM json_each(?1) AS o ORDER BY o.key`;

/**
 * The outcomes about the requests that they are joined with. One whose trajectory is not there, or came after it, stays
 * as it is.
 */
export async function joinedByVisitor(
  db: SiteDatabase,
  outcomes: readonly CheckedOutcome[],
): Promise<readonly CheckedOutcome[]> {
  const asked = outcomes.filter(({ isOfVisitor }) => isOfVisitor);
  if (asked.length === 0) return outcomes;
  const { results } = await db
    .prepare(NEWEST)
    .bind(JSON.stringify(asked))
    .all<{ newest: string | null }>();
  const found = new Map(asked.map((one, i) => [one, results[i]?.newest ?? one.trajectoryId]));
  return outcomes.map((one) => ({ ...one, trajectoryId: found.get(one) ?? one.trajectoryId }));
}
