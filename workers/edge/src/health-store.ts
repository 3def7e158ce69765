/** Heartbeats of trainers and counts of refused requests, for the operator. */
import type { Heartbeat, OperatorHealth } from "@waggle/protocol";
import { firstRefusalDay, REFUSAL_DAYS } from "./refusal-counter.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

/** A trainer without a heartbeat for this long counts as stopped. It sends one every 5 s. */
const SILENT_MS = 20_000;
/** Number of trainers that are kept, and of refusal kinds that are shown. */
const TRAINERS = 8;
const REFUSALS = 100;

/** Stores a heartbeat and drops the oldest trainers. */
export async function noteHeartbeat(
  db: SiteDatabase,
  { trainerId, step, activity }: Heartbeat,
  now: number,
): Promise<void> {
  await db.batch([
    db
      .prepare(
        `INSERT INTO trainers (site, trainerId, step, activity, seenAt)
         VALUES (?site, ?1, ?2, ?3, ?4)
         ON CONFLICT (site, trainerId) DO UPDATE SET
           step = excluded.step, activity = excluded.activity, seenAt = excluded.seenAt`,
      )
      .bind(trainerId, step, activity, now),
    db
      .prepare(
        `DELETE FROM trainers WHERE site = ?site AND trainerId NOT IN
           (SELECT trainerId FROM trainers WHERE site = ?site
            ORDER BY seenAt DESC LIMIT ${TRAINERS})`,
      )
      .bind(),
  ]);
}

const iso = (ms: number): string => new Date(ms).toISOString();

/** Reads both tables. */
export async function readHealth(db: SiteDatabase, now: number): Promise<OperatorHealth> {
  const [trainers, refusals] = await db.batch<Record<string, unknown>>([
    db
      .prepare(
        `SELECT trainerId, step, activity, seenAt FROM trainers
         WHERE site = ?site ORDER BY seenAt DESC`,
      )
      .bind(),
    db
      .prepare(
        `SELECT operation, reason, SUM(count) AS count, MAX(lastAt) AS lastAt FROM refusals
         WHERE site = ?site AND day >= ?1 GROUP BY operation, reason
         ORDER BY count DESC, operation, reason LIMIT ${REFUSALS}`,
      )
      .bind(firstRefusalDay(now)),
  ]);
  type Trainer = Heartbeat & { seenAt: number };
  type Refusal = { operation: string; reason: string; count: number; lastAt: number };
  return {
    at: iso(now),
    trainers: ((trainers?.results ?? []) as Trainer[]).map(({ seenAt, ...beat }) => ({
      ...beat,
      seenAt: iso(seenAt),
      isRunning: beat.activity !== "stopped" && now - seenAt <= SILENT_MS,
    })),
    refusals: ((refusals?.results ?? []) as Refusal[]).map(({ lastAt, ...refusal }) => ({
      ...refusal,
      lastAt: iso(lastAt),
    })),
    days: REFUSAL_DAYS,
  };
}
