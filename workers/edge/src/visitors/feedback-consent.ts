/** Feedback and page outcomes on trajectories whose visitors agreed to neither. */
import { WaggleError } from "@waggle/protocol";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

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

/**
 * Feedback can arrive before its trajectory, whose consent decides. `dropFeedback` then deletes it.
 * @throws WaggleError `CONSENT_MISSING` if the visitor's trajectory is stored without consent to feedback.
 */
export async function requireFeedbackConsent(
  db: SiteDatabase,
  visitorId: string,
  trajectoryId: string,
): Promise<void> {
  if (!(await lacksFeedbackConsent(db, visitorId, trajectoryId))) return;
  throw new WaggleError(
    "CONSENT_MISSING",
    "the consent of this trajectory does not cover feedback; ask the visitor for consent",
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
