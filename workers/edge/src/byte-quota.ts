/**
 * Limits the decoded bytes that a visitor and an address prefix may upload per hour. Counted in D1, so that
 * evictions and restarts do not reset the counts. Names are hashes; past hours are deleted.
 */
import { sha256, WaggleError } from "@waggle/protocol";
import type { SiteDatabase } from "./sites/site-database.ts";

const HOUR_MS = 3_600_000;

/** The count of one visitor or address prefix. */
export type ByteQuota = {
  readonly name: string;
  /** Bytes per hour; 0 = no limit. */
  readonly limit: number;
};

/** The name under which a visitor's bytes are counted. */
export function visitorQuotaName(visitorId: string): Promise<string> {
  return sha256(`upload bytes of visitor ${visitorId}`);
}

/**
 * Counts `bytes` against every quota. A request that exceeds one quota counts against none.
 * @throws WaggleError `RATE_LIMITED` with the time to wait
 */
export async function takeBytes(
  db: SiteDatabase,
  quotas: readonly ByteQuota[],
  bytes: number,
  now: number,
): Promise<void> {
  const limited = quotas.filter(({ limit }) => limit > 0);
  if (limited.length === 0) return;
  const hour = Math.floor(now / HOUR_MS);
  const names = JSON.stringify(limited.map(({ name }) => name));
  const { results } = await db
    .prepare(
      `SELECT name, bytes FROM uploadBytes
       WHERE site = ?site AND hour = ?1 AND name IN (SELECT value FROM json_each(?2))`,
    )
    .bind(hour, names)
    .all<{ name: string; bytes: number }>();
  const used = new Map(results.map((row) => [row.name, row.bytes]));
  const full = limited.find(({ name, limit }) => (used.get(name) ?? 0) + bytes > limit);
  if (full !== undefined) {
    const retryAfterMs = (hour + 1) * HOUR_MS - now;
    throw new WaggleError(
      "RATE_LIMITED",
      `this visitor or network may upload ${full.limit} bytes per hour; the page keeps the upload and sends it again in ${Math.ceil(retryAfterMs / 60_000)} min`,
      { retryable: true, retryAfterMs },
    );
  }
  await db.batch([
    db
      .prepare(
        `INSERT INTO uploadBytes (site, hour, name, bytes)
         SELECT ?site, ?1, value, ?3 FROM json_each(?2) WHERE true
         ON CONFLICT (site, hour, name) DO UPDATE SET bytes = bytes + excluded.bytes`,
      )
      .bind(hour, names, bytes),
    db.prepare("DELETE FROM uploadBytes WHERE site = ?site AND hour < ?1").bind(hour),
  ]);
}
