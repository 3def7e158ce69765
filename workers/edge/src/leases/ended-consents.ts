/**
 * What happens to rows whose visitor no longer agrees to learning when a trainer wants to lease them or holds them. They are
 * skipped with a reason and stay stored. That is final, also if the visitor agrees again.
 */
import type { SiteDatabase } from "../sites/site-database.ts";
import { type ConsentTime, consentTimes, endedConsent } from "../visitors/ended-consent.ts";
import { GROUP_GIVEN_BACK } from "./group-given-back.ts";

/** Skips ready rows of open groups. A group of which nothing is left is done. */
export function skipEndedOfGroups(
  db: SiteDatabase,
  rows: readonly { readonly digest: string; readonly groupId: string }[],
  time: ConsentTime,
): D1PreparedStatement[] {
  const list = (values: readonly string[]) => JSON.stringify([...new Set(values)]);
  return [
    db
      .prepare(
        `UPDATE trajectories AS t SET status = 'skipped', reason = ${endedConsent("?2")}
         WHERE +t.site = ?site AND +t.status = 'ready' AND t.digest IN (SELECT value FROM json_each(?1))
           AND (${endedConsent("?2")}) IS NOT NULL`,
      )
      .bind(list(rows.map(({ digest }) => digest)), consentTimes(time)),
    db
      .prepare(
        `UPDATE taskGroups SET ${GROUP_GIVEN_BACK}
         WHERE +site = ?site AND state = 'open' AND id IN (SELECT value FROM json_each(?1))`,
      )
      .bind(list(rows.map(({ groupId }) => groupId))),
  ];
}

/** Digests of a lease whose consents have ended since it was granted. The rows stay leased until the trainer answers. */
export async function endedUnder(
  db: SiteDatabase,
  leaseId: string,
  time: ConsentTime,
): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT t.digest FROM trajectories t
       WHERE t.site = ?site AND t.leaseId = ?1 AND t.status = 'leased' AND (${endedConsent("?2")}) IS NOT NULL
       ORDER BY t.digest`,
    )
    .bind(leaseId, consentTimes(time))
    .all<{ digest: string }>();
  return results.map(({ digest }) => digest);
}

/**
 * Skips rows of a lease that the trainer did not learn from, because `renewLease` named them or it has no outcome for them.
 * What it learned from stays learned: a step cannot be undone. Run it before failures are counted.
 */
export function skipEndedOfLease(
  db: SiteDatabase,
  leaseId: string,
  time: ConsentTime,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE trajectories AS t SET status = 'skipped', reason = ${endedConsent("?2")}
       WHERE +t.site = ?site AND t.leaseId = ?1
         AND (t.status = 'leased' OR (t.status = 'skipped' AND t.reason = 'forgotten'))
         AND (${endedConsent("?2")}) IS NOT NULL`,
    )
    .bind(leaseId, consentTimes(time));
}
