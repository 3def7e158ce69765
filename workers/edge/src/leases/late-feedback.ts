/**
 * Feedback on requests that a trainer has learned from already. Such a request becomes ready again, and the lease has only what
 * the leases before did not have, so that nothing teaches twice.
 */
import { hasFeedback, parameter, type TeachingFeedback } from "../awaited-feedback.ts";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { consentTimes, endedConsent } from "../visitors/ended-consent.ts";

/** How often a request can be leased again, so that a visitor who changes feedback for ever does not teach for ever. */
const MOST_LATE_LEASES = 3;

/**
 * Fixes which feedback a lease has: what is stored now. Later feedback gets a later time; see `receivedAt`. Run it before the
 * feedback is read.
 */
export function offerFeedback(db: SiteDatabase, leaseId: string, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE trajectories AS t SET offeredAt = MAX(?2,
         COALESCE((SELECT MAX(f.receivedAt) FROM feedback f WHERE f.site = ?site AND f.trajectoryId = t.id), 0),
         COALESCE((SELECT MAX(o.receivedAt) FROM outcomes o WHERE o.site = ?site AND o.trajectoryId = t.id), 0),
         COALESCE((SELECT MAX(o.receivedAt) FROM conversationLinks l
           CROSS JOIN outcomes o ON o.trajectoryId = l.outcomeOf AND o.sender = l.sender AND +o.site = l.site
           WHERE l.site = ?site AND l.trajectoryId = t.id), 0))
       WHERE t.site = ?site AND t.leaseId = ?1 AND t.status = 'leased'`,
    )
    .bind(leaseId, now);
}

/**
 * SQL of the time of feedback that arrives: the clock's, but later than what was offered of its trajectory, also if clocks
 * differ.
 * @param clock - SQL of the time
 * @param trajectoryId - SQL of the id
 */
export const receivedAt = (clock: string, trajectoryId: string): string => `MAX(${clock}, COALESCE(
  (SELECT t.offeredAt + 1 FROM trajectories t WHERE t.site = ?site AND t.id = ${trajectoryId}), 0))`;

/**
 * SQL: the leased row `t` has not been taught by this feedback. What an earlier release learned from is not learned again.
 * @param row - alias of a row of `feedback` or `outcomes`
 */
export const isNew = (
  row: "f" | "o",
): string => `${row}.receivedAt <= t.offeredAt AND ${row}.receivedAt >
  CASE WHEN t.learnedAtStep IS NULL THEN -1 ELSE COALESCE(t.taughtAt, 9007199254740991) END`;

/**
 * Lets the trainer lease trajectories again that it has learned from and that have new feedback which teaches. Those whose
 * consents have ended stay as they are: learned.
 * @param which - column of `trajectories` with these values
 */
export function leaseAgain(
  db: SiteDatabase,
  which: "id" | "leaseId",
  values: readonly string[],
  { FEEDBACK_FROM, METRICS, CONSENT_DAYS }: TeachingFeedback & Pick<Settings, "CONSENT_DAYS">,
  now: number,
): D1PreparedStatement {
  // Answers of staff are leased again where they are written.
  const from = FEEDBACK_FROM.filter((source) => source !== "staff");
  return db
    .prepare(
      `UPDATE trajectories AS t
       SET status = 'stored', reason = NULL, leaseId = NULL, lateLeases = lateLeases + 1
       WHERE t.site = ?site AND t.${which} IN (SELECT value FROM json_each(?1))
         AND +t.status = 'learned' AND t.assignmentId IS NULL AND t.taughtAt IS NOT NULL
         AND t.lateLeases < ${MOST_LATE_LEASES}
         AND EXISTS (SELECT 1 FROM responses r WHERE r.trajectoryId = t.id AND r.site = t.site)
         AND ${hasFeedback("t.taughtAt")} AND (${endedConsent("?3")}) IS NULL`,
    )
    .bind(
      JSON.stringify(values),
      parameter({ FEEDBACK_FROM: from, METRICS }),
      consentTimes({ CONSENT_DAYS, now }),
    );
}
