/**
 * Deletes trajectories, their feedback, outcomes and notes when the site's retention is over. Tombstones remain of those
 * that a policy learned from, so that `learnedBy` stays correct if the visitor asks to be forgotten later.
 */
import type { SiteStores } from "./endpoint.ts";
import { forgottenName } from "./forgotten-store.ts";

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

/** When the oldest trajectory was received; `null` if there is none. */
export async function oldestReceivedAt({ DB }: Pick<SiteStores, "DB">): Promise<number | null> {
  return DB.prepare(
    "SELECT receivedAt FROM trajectories WHERE site = ?site ORDER BY receivedAt LIMIT 1",
  )
    .bind()
    .first<number>("receivedAt");
}
