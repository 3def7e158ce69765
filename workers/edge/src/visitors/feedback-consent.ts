/** Feedback and page outcomes on trajectories whose visitors agreed to neither. */
import { consentScopes, WaggleError } from "@waggle/protocol";
import { forgottenRefusal, isForgotten } from "../forgotten-store.ts";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { receiptsOf, requireReceipt, unproven } from "./consent-receipts.ts";

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
 * @throws WaggleError `CONSENT_UNPROVEN` without a receipt, `CONSENT_MISSING` if the consent was withdrawn or the visitor's
 *   trajectory is stored without consent to feedback.
 */
export async function requireFeedbackConsent(
  db: SiteDatabase,
  visitorId: string,
  trajectoryId: string,
): Promise<void> {
  const receipts = await receiptsOf(db, visitorId);
  const newest = receipts.at(-1)?.receipt.consent;
  if (newest === undefined) {
    if (await isForgotten(db, visitorId)) throw forgottenRefusal();
    // As for uploads, see `checkReceipt`.
    if (await isPractice(db, visitorId, trajectoryId)) return;
    throw unproven();
  }
  requireReceipt(receipts, newest);
  const isAllowed = consentScopes(newest).includes("feedback");
  if (isAllowed && !(await lacksFeedbackConsent(db, visitorId, trajectoryId))) return;
  throw new WaggleError(
    "CONSENT_MISSING",
    "the visitor's consent does not cover feedback on this trajectory; ask the visitor for consent",
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
