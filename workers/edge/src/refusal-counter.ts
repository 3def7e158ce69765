/**
 * Counts requests that the edge refuses, by site, day, operation and error code, without their content. An isolate
 * collects counts in memory and writes them once a second, so that a flood of bad requests is not a flood of
 * writes. An evicted isolate loses at most one second.
 */
import type { Bindings } from "./settings.ts";

const WRITE_EVERY_MS = 1000;
/** Days that are shown and kept. */
export const REFUSAL_DAYS = 7;

type Count = {
  site: string;
  day: string;
  operation: string;
  reason: string;
  count: number;
  lastAt: number;
};

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The first day that is still counted. */
export function firstRefusalDay(now: number): string {
  return dayOf(now - (REFUSAL_DAYS - 1) * 86_400_000);
}

const waiting = new Map<string, Count>();
let writing: Promise<void> | null = null;

async function write(db: D1Database, now: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WRITE_EVERY_MS));
  writing = null;
  const counts = [...waiting.values()];
  waiting.clear();
  await db.batch([
    db
      .prepare(
        `INSERT INTO refusals (site, day, operation, reason, count, lastAt)
         SELECT value ->> 'site', value ->> 'day', value ->> 'operation', value ->> 'reason', value ->> 'count',
                value ->> 'lastAt'
         FROM json_each(?1) WHERE 1
         ON CONFLICT (site, day, operation, reason) DO UPDATE SET
           count = count + excluded.count, lastAt = excluded.lastAt`,
      )
      .bind(JSON.stringify(counts)),
    db.prepare("DELETE FROM refusals WHERE day < ?1").bind(firstRefusalDay(now)),
  ]);
}

/** Counts a refused request. @returns a promise that resolves when it is written and never rejects */
export function countRefusal(
  env: Bindings,
  site: string,
  operation: string,
  reason: string,
  now: number,
): Promise<void> {
  const day = dayOf(now);
  const key = `${site} ${day} ${operation} ${reason}`;
  const known = waiting.get(key);
  waiting.set(key, { site, day, operation, reason, count: (known?.count ?? 0) + 1, lastAt: now });
  // A failed write must not fail the request.
  writing ??= write(env.DB, now).catch(() => undefined);
  return writing;
}
