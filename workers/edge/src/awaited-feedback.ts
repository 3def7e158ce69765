/**
 * Live requests that wait for feedback before a trainer leases them. The group of such a request is not ready until the
 * visitor has given a thumb or somebody has reported an outcome that teaches; then it can be leased as soon as the
 * request is old enough. A request without either is never leased: no answer is not a bad answer. Retention deletes it.
 */
import type { SiteMetrics } from "@waggle/protocol";
import type { SiteDatabase } from "./sites/site-database.ts";

/** Kinds of feedback that a trainer can learn from. */
const THUMBS = "('thumb-up', 'thumb-down')";

/**
 * Trajectory `t` has a thumb of its visitor, or a joined outcome of one of the metrics in the second parameter. Here and
 * below, `+` keeps SQLite from an index on columns that many rows share.
 */
const HAS_FEEDBACK = `(EXISTS (
    SELECT 1 FROM feedback f
    WHERE f.site = ?site AND f.trajectoryId = t.id AND +f.visitorId = t.visitorId AND f.kind IN ${THUMBS})
  OR EXISTS (
    SELECT 1 FROM outcomes o JOIN json_each(?2) AS m ON m.key = o.metric AND m.value = o.type
    WHERE o.site = ?site AND o.trajectoryId = t.id AND o.visitorId IS NOT NULL))`;

/** The metrics that can teach, as JSON: their types by name. A metric with the weight 0 teaches nothing. */
function teaching(metrics: SiteMetrics): string {
  const weighted = Object.entries(metrics).filter(([, { weight }]) => weight !== 0);
  return JSON.stringify(Object.fromEntries(weighted.map(([name, { type }]) => [name, type])));
}

/**
 * Makes the new group of a live request wait. It gets room for a second trajectory, so that only its deadline makes it
 * complete, and is not ready unless the feedback came first.
 */
export function awaitFeedback(
  db: SiteDatabase,
  groupId: string,
  metrics: SiteMetrics,
  waitMs: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE taskGroups SET capacity = 2, deadlineAt = t.receivedAt + ?3,
         readyAt = CASE WHEN ${HAS_FEEDBACK} THEN t.receivedAt END
       FROM trajectories t
       WHERE taskGroups.site = ?site AND taskGroups.id = ?1 AND t.site = ?site AND t.groupId = ?1`,
    )
    .bind(groupId, teaching(metrics), waitMs);
}

/** Makes the groups of live requests ready, if these trajectories are some that wait for feedback. */
export function endWaiting(
  db: SiteDatabase,
  trajectoryIds: readonly string[],
  metrics: SiteMetrics,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE taskGroups SET readyAt = t.receivedAt
       FROM trajectories t
       WHERE t.site = ?site AND t.id IN (SELECT value FROM json_each(?1)) AND +t.status = 'ready'
         AND taskGroups.site = ?site AND taskGroups.id = t.groupId AND taskGroups.environment IS NULL
         AND taskGroups.readyAt IS NULL AND ${HAS_FEEDBACK}`,
    )
    .bind(JSON.stringify(trajectoryIds), teaching(metrics));
}
