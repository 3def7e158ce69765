/**
 * Places stored trajectories in the group that they are leased with: the assigned group while it is open, a
 * late group after it was leased, or a group of one for a live request. The Queue's consumer runs it, and so
 * does every lease, because a local queue loses messages. The Coordinator serializes the calls.
 */
import { awaitFeedback, type TeachingFeedback } from "./awaited-feedback.ts";
import { joinRetries } from "./leases/retried-requests.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

type StoredRow = {
  digest: string;
  id: string;
  groupId: string | null;
  groupState: "open" | "leased" | "done" | null;
};

/** Rows placed per call; the next call places the rest. */
const BATCH = 500;

/**
 * Makes stored rows ready.
 * @param lateMs how long a late group waits for its siblings
 * @param feedbackWaitMs how long a live request waits for feedback; 0 = it does not wait
 * @param teaching what such feedback is
 * @returns the number of rows placed
 */
export async function placeStored(
  db: SiteDatabase,
  now: number,
  lateMs: number,
  feedbackWaitMs: number,
  teaching: TeachingFeedback,
): Promise<number> {
  const { results } = await db
    .prepare(
      `SELECT t.digest, t.id, t.groupId, g.state AS groupState
       FROM trajectories t LEFT JOIN taskGroups g ON g.site = t.site AND g.id = t.groupId
       WHERE t.site = ?site AND t.status = 'stored' ORDER BY t.receivedAt LIMIT ${BATCH}`,
    )
    .bind()
    .all<StoredRow>();
  if (results.length === 0) return 0;

  const statements: D1PreparedStatement[] = [];
  const inTime = results.filter((row) => row.groupState === "open").map((row) => row.digest);
  if (inTime.length > 0) {
    statements.push(
      db
        .prepare(
          `UPDATE trajectories SET status = 'ready'
           WHERE +site = ?site AND status = 'stored' AND digest IN (SELECT value FROM json_each(?1))`,
        )
        .bind(JSON.stringify(inTime)),
    );
  }
  const move = (digest: string, groupId: string) =>
    db
      .prepare(
        "UPDATE trajectories SET status = 'ready', groupId = ?2 WHERE site = ?site AND digest = ?1 AND status = 'stored'",
      )
      .bind(digest, groupId);
  for (const row of results.filter((r) => r.groupId === null)) {
    const id = crypto.randomUUID();
    statements.push(
      db
        .prepare(
          `INSERT INTO taskGroups (site, id, capacity, assigned, createdAt, deadlineAt, state)
           VALUES (?site, ?1, 1, 1, ?2, ?2, 'open')`,
        )
        .bind(id, now),
      move(row.digest, id),
      ...(feedbackWaitMs === 0 ? [] : awaitFeedback(db, id, teaching, feedbackWaitMs)),
    );
  }
  const late = results.filter((r) => r.groupId !== null && r.groupState !== "open");
  for (const [groupId, rows] of Map.groupBy(late, (row) => row.groupId ?? "")) {
    const open = await db
      .prepare(
        "SELECT id FROM taskGroups WHERE site = ?site AND lateOf = ?1 AND state = 'open' LIMIT 1",
      )
      .bind(groupId)
      .first<{ id: string }>();
    const id = open?.id ?? crypto.randomUUID();
    if (!open) {
      statements.push(
        db
          .prepare(
            `INSERT INTO taskGroups (site, id, environment, seed, split, lateOf, capacity, assigned,
                                     createdAt, deadlineAt, state)
             SELECT site, ?1, environment, seed, split, ?2, capacity, 0, ?3, ?4, 'open'
             FROM taskGroups WHERE site = ?site AND id = ?2`,
          )
          .bind(id, groupId, now, now + lateMs),
      );
    }
    statements.push(
      db
        .prepare("UPDATE taskGroups SET assigned = assigned + ?2 WHERE site = ?site AND id = ?1")
        .bind(id, rows.length),
      ...rows.map((row) => move(row.digest, id)),
    );
  }
  await db.batch(statements);
  const live = results.filter((row) => row.groupId === null).map(({ id }) => id);
  await joinRetries(db, live, {
    FEEDBACK_FROM: teaching.FEEDBACK_FROM,
    FEEDBACK_WAIT_SECONDS: feedbackWaitMs / 1000,
  });
  return results.length;
}
