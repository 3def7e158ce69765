/**
 * Deletes trajectories, their feedback, outcomes and notes when the site's retention is over. Tombstones remain of those
 * that a policy learned from, so that `learnedBy` stays correct if the visitor asks to be forgotten later.
 */
import type { SiteStores } from "./endpoint.ts";
import { forgottenName } from "./forgotten-store.ts";
import { oldestUnjoinedAt } from "./outcomes/outcome-store.ts";
import { oldestRewardAt } from "./rewards/reward-store.ts";
import { oldestConsentAt } from "./visitors/consent-receipts.ts";
import { oldestReputationAt, REPUTATION_MS } from "./visitors/reputation-store.ts";

/** Trajectories that are deleted in one call. */
const BATCH = 200;

type Row = {
  readonly digest: string;
  readonly id: string;
  readonly visitorId: string;
  readonly objectKey: string;
};

/**
 * Deletes the oldest trajectories that were received before `before`. One that a trainer has leased is left for later.
 * The objects are deleted first, so that none remains if the call is interrupted.
 * @returns how many were deleted; repeat while it is not 0
 */
export async function deleteExpired({ DB, OBJECTS }: SiteStores, before: number): Promise<number> {
  const { results } = await DB.prepare(
    `SELECT digest, id, visitorId, objectKey FROM trajectories
     WHERE site = ?site AND receivedAt < ?1 AND +status != 'leased' ORDER BY receivedAt LIMIT ?2`,
  )
    .bind(before, BATCH)
    .all<Row>();
  if (results.length === 0) return 0;
  await OBJECTS.delete(results.map(({ objectKey }) => objectKey));
  const rows = await Promise.all(
    results.map(async ({ digest, id, visitorId }) => ({
      digest,
      id,
      visitor: await forgottenName(visitorId),
    })),
  );
  const json = JSON.stringify(rows);
  await DB.batch([
    DB.prepare(
      `INSERT INTO forgottenTrajectories (site, digest, visitor, learnedAtStep)
       SELECT t.site, t.digest, r.value ->> 'visitor', t.learnedAtStep
       FROM json_each(?1) AS r CROSS JOIN trajectories AS t
       WHERE t.digest = r.value ->> 'digest' AND t.site = ?site AND t.learnedAtStep IS NOT NULL
       ON CONFLICT DO NOTHING`,
    ).bind(json),
    DB.prepare(
      `DELETE FROM feedback WHERE +site = ?site
         AND trajectoryId IN (SELECT value ->> 'id' FROM json_each(?1))`,
    ).bind(json),
    DB.prepare(
      `DELETE FROM deadLetters WHERE +site = ?site
         AND digest IN (SELECT value ->> 'digest' FROM json_each(?1))`,
    ).bind(json),
    DB.prepare(
      `DELETE FROM trajectories WHERE +site = ?site
         AND digest IN (SELECT value ->> 'digest' FROM json_each(?1))`,
    ).bind(json),
  ]);
  return results.length;
}

/** How long a site keeps what, in milliseconds. */
export type Kept = {
  /** `null`: for good. */
  readonly records: number | null;
  readonly consents: number;
  /** Outcomes whose trajectory has not arrived. */
  readonly unjoined: number;
};

/**
 * When the first of a site's rows can be deleted, which may be in the past; `Infinity` if that is never. `null` for a site
 * without any such rows.
 */
export async function nextExpiry(
  stores: Pick<SiteStores, "DB">,
  { records, consents, unjoined }: Kept,
): Promise<number | null> {
  const { DB } = stores;
  const forRecords = records ?? Infinity;
  const oldest: readonly (readonly [oldestAt: number | null, keptMs: number])[] = [
    [await oldestReceivedAt(stores), forRecords],
    [await oldestRewardAt(DB), forRecords],
    [await oldestUnjoinedAt(DB), unjoined],
    [await oldestReputationAt(DB), REPUTATION_MS],
    [await oldestConsentAt(DB, true), forRecords],
    [await oldestConsentAt(DB, false), Math.max(forRecords, consents)],
  ];
  const due = oldest.flatMap(([at, keptMs]) => (at === null ? [] : [at + keptMs]));
  return due.length === 0 ? null : Math.min(...due);
}

/** When the oldest trajectory was received; `null` if there is none. */
async function oldestReceivedAt({ DB }: Pick<SiteStores, "DB">): Promise<number | null> {
  return DB.prepare(
    "SELECT receivedAt FROM trajectories WHERE site = ?site ORDER BY receivedAt LIMIT 1",
  )
    .bind()
    .first<number>("receivedAt");
}
