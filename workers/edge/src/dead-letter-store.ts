/**
 * Dead letters: rows that could not be processed although their content was not refused. The row in
 * `trajectories` becomes rejected, so that nothing waits for it. The letter records the reason until the
 * operator retries or deletes it.
 */
import { type DeadLetter, type DeadLettersResponse, WaggleError } from "@waggle/protocol";
import { type AuditAction, auditStatement, type Decision } from "./audit-log.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

/** Reasons that come from a failure of the trainer, not from the record's content. */
const TRAINER_REASONS = "('check-failed', 'check-crashed', 'unreadable')";

/** Writes letters for rejected rows. @param now - SQL placeholder of the time. */
const writeLetters = (now: string, rows: string): string => `
  INSERT INTO deadLetters (site, digest, visitorId, reason, failedLeases, diedAt)
  SELECT site, digest, visitorId, reason, failedLeases, ${now} FROM trajectories
  WHERE +site = ?site AND status = 'rejected' AND ${rows}
  ON CONFLICT (site, digest) DO UPDATE
  SET reason = excluded.reason, failedLeases = excluded.failedLeases, diedAt = excluded.diedAt`;

/** Rejects rows for one reason and writes a letter for each. @param of - statuses of the rows; others are left */
function bury(
  db: SiteDatabase,
  of: "'leased'" | "'stored', 'ready'",
  digests: readonly string[],
  reason: string,
  now: number,
): D1PreparedStatement[] {
  const list = JSON.stringify(digests);
  return [
    db
      .prepare(
        `UPDATE trajectories SET status = 'rejected', reason = ?2
         WHERE +site = ?site AND +status IN (${of})
           AND digest IN (SELECT value FROM json_each(?1))`,
      )
      .bind(list, reason),
    db
      .prepare(writeLetters("?3", "reason = ?2 AND digest IN (SELECT value FROM json_each(?1))"))
      .bind(list, reason, now),
  ];
}

/** Rejects leased rows for one reason and writes a letter for each. */
export function buryLeased(
  db: SiteDatabase,
  digests: readonly string[],
  reason: string,
  now: number,
): D1PreparedStatement[] {
  return bury(db, "'leased'", digests, reason, now);
}

/** Rejects rows that wait for a lease, for one reason, and writes a letter for each. */
export function buryWaiting(
  db: SiteDatabase,
  digests: readonly string[],
  reason: string,
  now: number,
): D1PreparedStatement[] {
  return bury(db, "'stored', 'ready'", digests, reason, now);
}

/**
 * Counts a lease that ended without an outcome and rejects rows at the limit of such leases.
 *
 * @param which - condition on the columns of `leases` and `?1`.
 */
export function countFailures(
  db: SiteDatabase,
  which: string,
  value: string | number,
  mostFailures: number,
  now: number,
): D1PreparedStatement[] {
  const held = `leaseId IN (SELECT id FROM leases WHERE site = ?site AND ${which})`;
  return [
    db
      .prepare(
        `UPDATE trajectories SET failedLeases = failedLeases + 1,
           status = CASE WHEN failedLeases + 1 >= ?2 THEN 'rejected' ELSE status END,
           reason = CASE WHEN failedLeases + 1 >= ?2 THEN 'lease-failed' ELSE reason END
         WHERE +site = ?site AND status = 'leased' AND ${held}`,
      )
      .bind(value, mostFailures),
    db.prepare(writeLetters("?2", `reason = 'lease-failed' AND ${held}`)).bind(value, now),
  ];
}

/** Writes letters for rows of a lease whose check failed in the trainer. */
export function buryFailedChecks(
  db: SiteDatabase,
  leaseId: string,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(writeLetters("?2", `leaseId = ?1 AND reason IN ${TRAINER_REASONS}`))
    .bind(leaseId, now);
}

type Stored = Omit<DeadLetter, "receivedAt" | "diedAt"> & { receivedAt: number; diedAt: number };

/** One page, newest first. @param cursor - `nextCursor` of the previous page. */
export async function listDeadLetters(
  db: SiteDatabase,
  limit: number,
  cursor: string | undefined,
): Promise<DeadLettersResponse> {
  const [diedAt = "", digest = ""] = cursor?.split(".") ?? [];
  const { results } = await db
    .prepare(
      `SELECT d.digest, d.reason, d.failedLeases, d.diedAt, t.receivedAt, t.groupId, t.sizeBytes
       FROM deadLetters d JOIN trajectories t ON t.site = d.site AND t.digest = d.digest
       WHERE d.site = ?site
         AND (?1 = '' OR (d.diedAt, d.digest) < (CAST(?1 AS INTEGER), ?2))
       ORDER BY d.diedAt DESC, d.digest DESC LIMIT ?3`,
    )
    .bind(diedAt, digest, limit + 1)
    .all<Stored>();
  const page = results.slice(0, limit);
  const last = page.at(-1);
  return {
    rows: page.map((row) => ({
      ...row,
      receivedAt: new Date(row.receivedAt).toISOString(),
      diedAt: new Date(row.diedAt).toISOString(),
    })),
    nextCursor: results.length > page.length && last ? `${last.diedAt}.${last.digest}` : null,
  };
}

/** Audit entry that names the trajectory by the start of its digest. */
function note(
  db: SiteDatabase,
  action: AuditAction,
  digest: string,
  decision: Decision,
): D1PreparedStatement {
  return auditStatement(db, action, { ...decision, reason: `trajectory ${digest.slice(0, 16)}` });
}

/** Makes a dead letter leasable again. @throws WaggleError `NOT_FOUND` */
export async function retryDeadLetter(
  db: SiteDatabase,
  digest: string,
  decision: Decision,
): Promise<void> {
  await objectKeyOf(db, digest);
  await db.batch([
    db
      .prepare(
        `UPDATE trajectories SET status = 'stored', reason = NULL, leaseId = NULL, failedLeases = 0
         WHERE site = ?site AND digest = ?1 AND status = 'rejected'
           AND EXISTS (SELECT 1 FROM deadLetters WHERE site = ?site AND digest = ?1)`,
      )
      .bind(digest),
    db.prepare("DELETE FROM deadLetters WHERE site = ?site AND digest = ?1").bind(digest),
    note(db, "retry-dead-letter", digest, decision),
  ]);
}

/**
 * Deletes a letter and the content of its trajectory. The row stays rejected, so that the same upload is
 * not accepted again.
 * @throws WaggleError `NOT_FOUND`
 */
export async function deleteDeadLetter(
  db: SiteDatabase,
  bucket: R2Bucket,
  digest: string,
  decision: Decision,
): Promise<void> {
  await bucket.delete(await objectKeyOf(db, digest));
  await db.batch([
    db.prepare("DELETE FROM deadLetters WHERE site = ?site AND digest = ?1").bind(digest),
    note(db, "delete-dead-letter", digest, decision),
  ]);
}

/** R2 key of a dead letter's object. @throws WaggleError `NOT_FOUND` */
async function objectKeyOf(db: SiteDatabase, digest: string): Promise<string> {
  const row = await db
    .prepare(
      `SELECT t.objectKey FROM deadLetters d JOIN trajectories t ON t.site = d.site AND t.digest = d.digest
       WHERE d.site = ?site AND d.digest = ?1`,
    )
    .bind(digest)
    .first<{ objectKey: string }>();
  if (row !== null) return row.objectKey;
  throw new WaggleError(
    "NOT_FOUND",
    "no dead letter has this digest; it may already have been retried or deleted",
  );
}
