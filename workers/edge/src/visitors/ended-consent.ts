/**
 * Whether a visitor still agrees to learning from what the edge has stored, in SQL. The rule is that of uploads: what the edge
 * would not take today, no trainer gets. It is not about what is kept, which retention and deletion decide.
 */
import type { TrajectoryDetail } from "@waggle/protocol";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

/** How long a consent holds, and the time. */
export type ConsentTime = { readonly CONSENT_DAYS: Settings["CONSENT_DAYS"]; readonly now: number };

const DAY_MS = 86_400_000;

/** The parameter of the statements below, as JSON: the first and the last time at which a consent that holds was given. */
export function consentTimes({ CONSENT_DAYS, now }: ConsentTime): string {
  return JSON.stringify({ first: now - CONSENT_DAYS * DAY_MS, last: now + DAY_MS });
}

/** SQL of the time at which a consent was given. */
const grantedAt = (consent: string): string =>
  `ROUND((julianday(${consent} ->> 'grantedAt') - 2440587.5) * ${DAY_MS})`;

/** SQL: a consent is too old, or from the future; as `isConsentCurrent`. */
const isOld = (consent: string, times: string): string =>
  `${grantedAt(consent)} NOT BETWEEN ${times} ->> 'first' AND ${times} ->> 'last'`;

/** SQL: the visitor's newest consent `c` meets a condition. `+` keeps SQLite from an index on what many rows share. */
const newestIs = (visitorId: string, condition: string): string => `EXISTS (SELECT 1 FROM
  (SELECT consent, withdrawnAt FROM consents WHERE visitorId = ${visitorId} AND +site = ?site
   ORDER BY ${grantedAt("consent")} DESC, consent DESC LIMIT 1) AS c WHERE ${condition})`;

const allows = (scope: string): string => `c.consent -> '$.scopes' LIKE '%"${scope}"%'`;
/** As `consentScopes`: without choices, consent to training covers feedback. */
const ALLOWS_FEEDBACK = `(${allows("feedback")} OR (c.consent ->> 'choices' IS NULL AND ${allows("train")}))`;

/** Consent `c` does not allow all that trajectory `t` was recorded for. Rows of earlier releases have no scopes: all of them. */
const ALLOWS_LESS = `(NOT ${allows("collect")}
  OR (COALESCE(t.consentScopes, 'train') LIKE '%train%' AND NOT ${allows("train")})
  OR (COALESCE(t.consentScopes, 'feedback') LIKE '%feedback%' AND NOT ${ALLOWS_FEEDBACK}))`;

/**
 * SQL: why nothing more is learned from trajectory `t`; `NULL` if it may be. A row of an earlier release does not name its
 * consent, so any withdrawal since it was received ends it, and the trainer looks at its age. Practice of a visitor without any
 * receipt is taken, so it is leased, too.
 * @param times - placeholder of `consentTimes`
 */
export const endedConsent = (times: string): string => `CASE
  WHEN EXISTS (SELECT 1 FROM consents w WHERE w.visitorId = t.visitorId AND +w.site = ?site AND w.withdrawnAt IS NOT NULL
      AND IIF(t.consent IS NULL, w.withdrawnAt >= t.receivedAt, w.consent = t.consent))
    OR ${newestIs("t.visitorId", `c.withdrawnAt IS NOT NULL OR ${ALLOWS_LESS}`)} THEN 'consent-withdrawn'
  WHEN ${isOld("t.consent", times)} THEN 'consent-expired' END`;

/**
 * SQL: a visitor who sends rewards does not agree to training any more. A reward names no consent, so the newest decides.
 * @param times - placeholder of `consentTimes`
 */
export const endedTraining = (visitorId: string, times: string): string =>
  newestIs(
    visitorId,
    `c.withdrawnAt IS NOT NULL OR NOT ${allows("train")} OR ${isOld("c.consent", times)}`,
  );

/** Why nothing more is learned from a trajectory; `null` if it may be, or is not stored. */
export async function endedConsentOf(
  db: SiteDatabase,
  digest: string,
  time: ConsentTime,
): Promise<NonNullable<TrajectoryDetail["consentEnded"]> | null> {
  return db
    .prepare(
      `SELECT ${endedConsent("?2")} AS ended FROM trajectories t WHERE +t.site = ?site AND t.digest = ?1`,
    )
    .bind(digest, consentTimes(time))
    .first("ended");
}
