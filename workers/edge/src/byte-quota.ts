/**
 * How many decoded bytes one visitor and one address prefix may upload in an hour. Counted in D1, so
 * that neither an evicted object nor a restart forgets it. Names are hashes; old hours are deleted.
 */
import { sha256, WaggleError } from "@waggle/protocol";

const HOUR_MS = 3_600_000;

export type ByteQuota = {
  readonly name: string;
  /** Bytes an hour; 0 = no limit. */
  readonly limit: number;
};

/** The name a visitor is counted under. */
export function visitorQuotaName(visitorId: string): Promise<string> {
  return sha256(`upload bytes of visitor ${visitorId}`);
}

/**
 * Counts `bytes` against every quota. A request that one quota refuses is counted by none.
 * @throws WaggleError `RATE_LIMITED` with the time to wait
 */
export async function takeBytes(
  db: D1Database,
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
       WHERE hour = ?1 AND name IN (SELECT value FROM json_each(?2))`,
    )
    .bind(hour, names)
    .all<{ name: string; bytes: number }>();
  const used = new Map(results.map((row) => [row.name, row.bytes]));
  const full = limited.find(({ name, limit }) => (used.get(name) ?? 0) + bytes > limit);
  if (full !== undefined) {
    const retryAfterMs = (hour + 1) * HOUR_MS - now;
    throw new WaggleError(
      "RATE_LIMITED",
      `this visitor or network may upload ${full.limit} bytes an hour; the upload is kept on the page and sent again in ${Math.ceil(retryAfterMs / 60_000)} min`,
      { retryable: true, retryAfterMs },
    );
  }
  await db.batch([
    db
      .prepare(
        `INSERT INTO uploadBytes (hour, name, bytes)
         SELECT ?1, value, ?3 FROM json_each(?2) WHERE true
         ON CONFLICT (hour, name) DO UPDATE SET bytes = bytes + excluded.bytes`,
      )
      .bind(hour, names, bytes),
    db.prepare("DELETE FROM uploadBytes WHERE hour < ?1").bind(hour),
  ]);
}
