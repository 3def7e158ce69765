/**
 * Live requests that wait for feedback before a trainer leases them. The group of such a request is not ready until the
 * visitor has given a thumb; then it can be leased as soon as the request is old enough. A request without a thumb is
 * never leased: no answer is not a bad answer. Retention deletes it.
 */
import type { SiteDatabase } from "./sites/site-database.ts";

/** Kinds of feedback that a trainer can learn from. */
const THUMBS = "('thumb-up', 'thumb-down')";

const HAS_THUMB = `EXISTS (
  SELECT 1 FROM feedback f
  WHERE f.site = ?site AND f.trajectoryId = t.id AND f.visitorId = t.visitorId AND f.kind IN ${THUMBS})`;

/**
 * Makes the new group of a live request wait. It gets room for a second trajectory, so that only its deadline makes it
 * complete, and is not ready unless the feedback came first.
 */
export function awaitFeedback(
  db: SiteDatabase,
  groupId: string,
  waitMs: number,
): D1PreparedStatement[] {
  return [
    db
      .prepare(
        `UPDATE taskGroups SET capacity = 2, deadlineAt = t.receivedAt + ?2,
           readyAt = CASE WHEN ${HAS_THUMB} THEN t.receivedAt END
         FROM trajectories t
         WHERE taskGroups.site = ?site AND taskGroups.id = ?1 AND t.site = ?site AND t.groupId = ?1`,
      )
      .bind(groupId, waitMs),
  ];
}

/** Makes the group of a live request ready, if this trajectory is one that waits for feedback. */
export function endWaiting(db: SiteDatabase, trajectoryId: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE taskGroups SET readyAt = t.receivedAt
       FROM trajectories t
       WHERE t.site = ?site AND t.id = ?1 AND t.status = 'ready'
         AND taskGroups.site = ?site AND taskGroups.id = t.groupId AND taskGroups.environment IS NULL
         AND taskGroups.readyAt IS NULL AND ${HAS_THUMB}`,
    )
    .bind(trajectoryId);
}
