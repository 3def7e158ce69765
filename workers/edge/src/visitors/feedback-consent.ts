/** What pages send beside records: feedback, outcomes and rewards. Each needs a consent of the visitor that holds now. */
import { consentScopes, WaggleError } from "@waggle/protocol";
import { forgottenRefusal, isForgotten } from "../forgotten-store.ts";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { presentConsent, receiptsOf, unproven } from "./consent-receipts.ts";

/** @throws WaggleError `FORBIDDEN` if the site keeps no trajectories that feedback could be about. */
export function requireFeedbackKept({ COLLECT }: Pick<Settings, "COLLECT">): void {
  if (COLLECT !== "rewards") return;
  throw new WaggleError(
    "FORBIDDEN",
    "this site collects rewards only, and keeps no feedback and no outcomes; reload the page",
  );
}

/** Whether the visitor's trajectory is stored without consent to feedback. */
export async function lacksFeedbackConsent(
  db: SiteDatabase,
  visitorId: string,
  trajectoryId: string,
): Promise<boolean> {
  // Rows of the previous release have no scopes. Their consent covers feedback.
  const found = await db
    .prepare(
      `SELECT 1 FROM trajectories WHERE site = ?site AND id = ?1 AND visitorId = ?2
         AND consentScopes NOT LIKE '%feedback%'`,
    )
    .bind(trajectoryId, visitorId)
    .first();
  return found !== null;
}

/** Whether this is a stored practice task of the visitor. */
async function isPractice(
  db: SiteDatabase,
  visitorId: string,
  trajectoryId: string,
): Promise<boolean> {
  const found = await db
    .prepare(
      `SELECT 1 FROM trajectories WHERE site = ?site AND id = ?1 AND visitorId = ?2
         AND assignmentId IS NOT NULL`,
    )
    .bind(trajectoryId, visitorId)
    .first();
  return found !== null;
}

/**
 * Feedback needs a receipt of the visitor. It can arrive before its trajectory, whose consent decides. `dropFeedback` then
 * deletes it.
 * @throws WaggleError `CONSENT_UNPROVEN` without a receipt, `CONSENT_EXPIRED`, `CONSENT_MISSING` if the consent was withdrawn
 *   or the visitor's trajectory is stored without consent to feedback.
 */
export async function requireFeedbackConsent(
  db: SiteDatabase,
  visitorId: string,
  trajectoryId: string,
  { CONSENT_DAYS }: Pick<Settings, "CONSENT_DAYS">,
  now: number,
): Promise<void> {
  const consent = presentConsent(await receiptsOf(db, visitorId), CONSENT_DAYS, now);
  if (consent === null) {
    if (await isForgotten(db, visitorId)) throw forgottenRefusal();
    // As for uploads, see `checkReceipt`.
    if (await isPractice(db, visitorId, trajectoryId)) return;
    throw unproven();
  }
  const isAllowed = consentScopes(consent).includes("feedback");
  if (isAllowed && !(await lacksFeedbackConsent(db, visitorId, trajectoryId))) return;
  throw new WaggleError(
    "CONSENT_MISSING",
    "the visitor's consent does not cover feedback on this trajectory; ask the visitor for consent",
  );
}

/**
 * Rewards, and the tasks that they are for, need a receipt of the visitor. A page without one gets no task, so that it works on
 * none in vain.
 * @throws WaggleError `CONSENT_UNPROVEN` without a receipt, `CONSENT_EXPIRED`, `CONSENT_MISSING` if the consent was withdrawn
 *   or does not cover training.
 */
export async function requireRewardConsent(
  db: SiteDatabase,
  visitorId: string,
  { CONSENT_DAYS }: Pick<Settings, "CONSENT_DAYS">,
  now: number,
): Promise<void> {
  const consent = presentConsent(await receiptsOf(db, visitorId), CONSENT_DAYS, now);
  if (consent === null) throw (await isForgotten(db, visitorId)) ? forgottenRefusal() : unproven();
  if (consent.scopes.includes("train")) return;
  throw new WaggleError(
    "CONSENT_MISSING",
    "the visitor's consent does not cover training; ask the visitor for consent",
  );
}

/** Statements that delete what the visitor's pages said about a trajectory. */
export function dropFeedback(
  db: SiteDatabase,
  visitorId: string,
  trajectoryId: string,
): D1PreparedStatement[] {
  return [
    db
      .prepare("DELETE FROM feedback WHERE site = ?site AND trajectoryId = ?1 AND visitorId = ?2")
      .bind(trajectoryId, visitorId),
    db
      .prepare("DELETE FROM outcomes WHERE site = ?site AND trajectoryId = ?1 AND sender = ?2")
      .bind(trajectoryId, visitorId),
  ];
}
