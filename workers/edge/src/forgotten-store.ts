/**
 * Visitors who asked to be forgotten. Their rows go at once; what stays is a tombstone of each trajectory
 * that a policy learned from or may be learning from right now, so that "learned by" stays true, and
 * of the visitor, so that an upload under way finds its door closed.
 */
import { type DeletionResponse, sha256, WaggleError } from "@waggle/protocol";

/** A visitor as a tombstone names them: the id cannot be had back. */
export function forgottenName(visitorId: string): Promise<string> {
  return sha256(`forgotten ${visitorId}`);
}

/** Forgets a visitor; again is a success with the same `learnedBy`. Objects are the caller's matter. */
export async function forgetVisitor(
  db: D1Database,
  visitorId: string,
  now: number,
): Promise<DeletionResponse> {
  const visitor = await forgottenName(visitorId);
  const results = await db.batch<{ version: number }>([
    db
      .prepare("INSERT INTO forgottenVisitors VALUES (?1, ?2) ON CONFLICT DO NOTHING")
      .bind(visitor, now),
    db
      .prepare(
        `INSERT INTO forgottenTrajectories (digest, visitor, leaseId, learnedAtStep)
         SELECT digest, ?2, CASE status WHEN 'leased' THEN leaseId END, learnedAtStep
         FROM trajectories WHERE visitorId = ?1 AND status IN ('leased', 'learned')
         ON CONFLICT DO NOTHING`,
      )
      .bind(visitorId, visitor),
    // Every version published at or after the first step that learned from it has learned from it.
    db
      .prepare(
        `SELECT version FROM policies
         WHERE step >= (SELECT MIN(learnedAtStep) FROM forgottenTrajectories WHERE visitor = ?1)
         ORDER BY version`,
      )
      .bind(visitor),
    // `changes` would count what triggers write, too.
    db.prepare("DELETE FROM trajectories WHERE visitorId = ?1 RETURNING 1").bind(visitorId),
    db.prepare("DELETE FROM feedback WHERE visitorId = ?1 RETURNING 1").bind(visitorId),
    db.prepare("DELETE FROM assignments WHERE visitorId = ?1").bind(visitorId),
    db.prepare("DELETE FROM assignmentBudgets WHERE holder = ?1").bind(visitorId),
    db.prepare("DELETE FROM deadLetters WHERE visitorId = ?1").bind(visitorId),
  ]);
  const [, , learned, trajectories, feedback] = results;
  return {
    deletedTrajectories: trajectories?.results.length ?? 0,
    deletedFeedback: feedback?.results.length ?? 0,
    learnedBy: (learned?.results ?? []).map((row) => row.version),
  };
}

/** Whether this visitor asked to be forgotten. */
export async function isForgotten(db: D1Database, visitorId: string): Promise<boolean> {
  const row = await db
    .prepare("SELECT 1 FROM forgottenVisitors WHERE visitor = ?1")
    .bind(await forgottenName(visitorId))
    .first();
  return row !== null;
}

/** The refusal of anything that would be stored for a forgotten visitor. */
export function forgottenRefusal(): WaggleError {
  return new WaggleError(
    "CONSENT_MISSING",
    "this visitor was forgotten and nothing more is stored for them; open a new session",
  );
}

/** Digests under a lease whose visitors have been forgotten since it was taken. */
export async function forgottenUnder(db: D1Database, leaseId: string): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT digest FROM forgottenTrajectories WHERE leaseId = ?1 ORDER BY digest")
    .bind(leaseId)
    .all<{ digest: string }>();
  return results.map((row) => row.digest);
}

/** Notes what a trainer learned although it was forgotten meanwhile. @param outcomes JSON array */
export function noteLearned(db: D1Database, outcomes: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE forgottenTrajectories
       SET learnedAtStep = COALESCE(learnedAtStep, o.value ->> 'step'), leaseId = NULL
       FROM json_each(?1) AS o
       WHERE forgottenTrajectories.digest = o.value ->> 'digest'
         AND o.value ->> 'status' = 'learned'`,
    )
    .bind(outcomes);
}

/** Drops the tombstones of a lease that ended without learning from them. */
export function dropUnlearned(db: D1Database, leaseId: string): D1PreparedStatement {
  return db.prepare("DELETE FROM forgottenTrajectories WHERE leaseId = ?1").bind(leaseId);
}
