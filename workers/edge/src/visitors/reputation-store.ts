/** Reputations in D1. Triggers count; this file reads, releases and deletes. */
import type { QuarantineResponse } from "@waggle/protocol";
import { auditStatement, type Decision } from "../audit-log.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { type Evidence, isBadNetwork, RELEASED_RECORDS, reputationWeight } from "./reputation.ts";

/** Time after its last change for which a reputation is kept. */
export const REPUTATION_MS: number = 90 * 86_400_000;
/** Obsolete rows deleted per call. */
const DROPPED_ROWS = 500;
/** Senders with forged records that one list looks at, and those that it shows. */
const SEARCHED = 500;
const LISTED = 100;

const NONE: Evidence = { verified: 0, forged: 0, dropped: 0 };

type Sender = Evidence & {
  readonly id: string;
  readonly kind: "visitor" | "network";
  readonly reason: string | null;
  readonly changedAt: number;
  readonly networkVerified: number | null;
  readonly networkForged: number | null;
};

/** Counts of a visitor or network; `null` if there are none. */
export function evidenceOf(db: SiteDatabase, holder: string): Promise<Evidence | null> {
  return db
    .prepare("SELECT verified, forged, dropped FROM reputations WHERE holder = ?1 AND site = ?site")
    .bind(holder)
    .first<Evidence>();
}

/** Visitors and networks in quarantine because of records of their own. */
export async function listQuarantine(db: SiteDatabase): Promise<QuarantineResponse> {
  const { results } = await db
    .prepare(
      `SELECT r.holder AS id, r.kind, r.verified, r.forged, r.dropped, r.reason, r.changedAt,
         n.verified AS networkVerified, n.forged AS networkForged
       FROM reputations r LEFT JOIN reputations n ON n.holder = r.network AND n.site = r.site
       WHERE r.site = ?site AND r.forged > 0 ORDER BY r.forged DESC LIMIT ${SEARCHED}`,
    )
    .bind()
    .all<Sender>();
  const held = results.filter(isHeld).slice(0, LISTED);
  return {
    senders: held.map(({ networkVerified: _v, networkForged: _f, changedAt, ...sender }) => ({
      ...sender,
      changedAt: new Date(changedAt).toISOString(),
    })),
  };
}

function isHeld(sender: Sender): boolean {
  if (sender.kind === "network") return isBadNetwork(sender);
  const { networkVerified, networkForged } = sender;
  const network = { ...NONE, verified: networkVerified ?? 0, forged: networkForged ?? 0 };
  return reputationWeight(sender, network) === 0;
}

/**
 * Ends a quarantine and writes it into the audit log. What is sent from now on counts as before.
 * @returns false for a sender without a record
 */
export async function releaseSender(
  db: SiteDatabase,
  holder: string,
  decision: Decision,
): Promise<boolean> {
  if ((await evidenceOf(db, holder)) === null) return false;
  await db.batch([
    db
      .prepare(
        `UPDATE reputations SET verified = MAX(verified, ?2), forged = 0, dropped = 0
         WHERE holder = ?1 AND site = ?site`,
      )
      .bind(holder, RELEASED_RECORDS),
    auditStatement(db, "release-sender", decision),
  ]);
  return true;
}

/**
 * Deletes some of the reputations that have not changed for 90 days.
 * @returns how many; repeat while it is not 0
 */
export async function dropOldReputations(db: SiteDatabase, now: number): Promise<number> {
  const { results } = await db
    .prepare(
      `DELETE FROM reputations WHERE +site = ?site AND holder IN
         (SELECT holder FROM reputations WHERE site = ?site AND changedAt < ?1
          ORDER BY changedAt LIMIT ${DROPPED_ROWS}) RETURNING 1`,
    )
    .bind(now - REPUTATION_MS)
    .all();
  return results.length;
}

/** When the oldest reputation changed; `null` if there is none. */
export function oldestReputationAt(db: SiteDatabase): Promise<number | null> {
  return db
    .prepare("SELECT changedAt FROM reputations WHERE site = ?site ORDER BY changedAt LIMIT 1")
    .bind()
    .first<number>("changedAt");
}
