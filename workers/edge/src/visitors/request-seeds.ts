/**
 * Sampling seeds for visitors' own requests. They are given ahead with the session, so that a page can also answer offline.
 * A page uses them in order. One that is passed over, because a later one was used, counts as unused.
 */
import { forgottenName } from "../forgotten-store.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

/** Seeds that a visitor holds. */
const AHEAD = 8;
const KEPT_MS = 30 * 86_400_000;
/** Obsolete rows deleted per call. */
const DROPPED_ROWS = 32;

/** Number of the last seed that a visitor, parameter 1, used. */
const LAST_USED = `(SELECT COALESCE(MAX(number), 0) FROM requestSeeds
                    WHERE site = ?site AND visitorId = ?1 AND digest IS NOT NULL)`;

/** The seeds to use next, in this order. Gives new ones for those that were used. */
export async function giveSeeds(
  db: SiteDatabase,
  visitorId: string,
  now: number,
): Promise<number[]> {
  const fresh = JSON.stringify([...crypto.getRandomValues(new Uint32Array(AHEAD))]);
  const results = await db.batch<{ seed: number }>([
    db
      .prepare(
        `DELETE FROM requestSeeds WHERE site = ?site AND (visitorId, number) IN
           (SELECT visitorId, number FROM requestSeeds WHERE site = ?site AND givenAt < ?1
            ORDER BY givenAt LIMIT ${DROPPED_ROWS})`,
      )
      .bind(now - KEPT_MS),
    db
      .prepare(
        `INSERT INTO requestSeeds (site, visitorId, number, seed, givenAt)
         SELECT ?site, ?1, held.last + fresh.key + 1, fresh.value, ?2
         FROM json_each(?3) AS fresh,
           (SELECT COALESCE(MAX(number), 0) AS last, COALESCE(SUM(number > ${LAST_USED}), 0) AS ahead
            FROM requestSeeds WHERE site = ?site AND visitorId = ?1) AS held
         WHERE fresh.key < ${AHEAD} - held.ahead
           AND NOT EXISTS (SELECT 1 FROM forgottenVisitors WHERE site = ?site AND visitor = ?4)`,
      )
      .bind(visitorId, now, fresh, await forgottenName(visitorId)),
    db
      .prepare(
        `SELECT seed FROM requestSeeds
         WHERE site = ?site AND visitorId = ?1 AND number > ${LAST_USED} ORDER BY number`,
      )
      .bind(visitorId),
  ]);
  return (results[2]?.results ?? []).map(({ seed }) => seed);
}

/**
 * Marks the seed of a visitor's own request as used by the trajectory with this digest, if it is stored and the seed was
 * given and not used before.
 */
export function useSeed(
  db: SiteDatabase,
  visitorId: string,
  seed: number | null,
  digest: string,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE requestSeeds SET digest = ?3
       WHERE site = ?site AND visitorId = ?1 AND seed = ?2 AND digest IS NULL
         AND EXISTS (SELECT 1 FROM trajectories
                     WHERE site = ?site AND digest = ?3 AND assignmentId IS NULL)`,
    )
    .bind(visitorId, seed, digest);
}

/** Seeds without an upload: those of expired tasks, and those of requests that were passed over. */
export async function countUnusedSeeds(db: SiteDatabase, visitorId: string): Promise<number> {
  const row = await db
    .prepare(
      `SELECT
         (SELECT COUNT(*) FROM assignments
          WHERE +site = ?site AND visitorId = ?1 AND state = 'expired' AND samplingSeed IS NOT NULL)
         + (SELECT COUNT(*) FROM requestSeeds
            WHERE site = ?site AND visitorId = ?1 AND digest IS NULL AND number < ${LAST_USED})
         AS count`,
    )
    .bind(visitorId)
    .first<{ count: number }>();
  return row?.count ?? 0;
}
