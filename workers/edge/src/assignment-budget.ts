/**
 * Limits the unanswered tasks of a visitor or an address prefix. Each task raises a level by one. Each
 * answer lowers it by two (a database trigger does that), and over time it falls to 0. A new visitor gets
 * `limit` tasks; one who answers may hold more at a time; one who never answers gets no more after `limit`.
 */
import { WaggleError } from "@waggle/protocol";
import type { SiteDatabase } from "./sites/site-database.ts";

/** Time in which a level of `limit` falls to 0. */
const RECOVERY_MS = 10 * 60_000;
/** Lowest level that answers can reach, as a negative multiple of `limit`. */
const CREDIT = 3;
/** Obsolete rows deleted per call. */
const DROPPED_ROWS = 32;

/** A visitor or an address prefix with its limit. */
export type Holder = {
  /** Visitor id or address prefix. */
  readonly id: string;
  /** Unanswered tasks; 0 = no limit. */
  readonly limit: number;
};

type Budget = { holder: string; level: number; at: number };

/** Reads the levels of holders that have a limit. */
export function readBudgets(db: SiteDatabase, holders: readonly Holder[]): D1PreparedStatement {
  return db
    .prepare(
      "SELECT holder, level, at FROM assignmentBudgets WHERE site = ?site AND holder IN (SELECT value FROM json_each(?1))",
    )
    .bind(JSON.stringify(holders.map(({ id }) => id)));
}

/** @throws WaggleError `RATE_LIMITED` if one more unanswered task would exceed a limit */
export function requireBudget(
  rows: readonly Budget[],
  holders: readonly Holder[],
  now: number,
): void {
  for (const { id, limit } of holders) {
    const row = rows.find(({ holder }) => holder === id);
    if (row === undefined) continue;
    const perMs = limit / RECOVERY_MS;
    const level = row.level - Math.max(0, now - row.at) * perMs;
    if (level + 1 <= limit) continue;
    throw new WaggleError(
      "RATE_LIMITED",
      `this visitor or network has ${limit} unanswered tasks; upload their results or try again later`,
      { retryable: true, retryAfterMs: Math.ceil((level + 1 - limit) / perMs) },
    );
  }
}

/** Statements that count one more unanswered task, if it was assigned, and delete obsolete rows. */
export function countTask(
  db: SiteDatabase,
  assignmentId: string,
  holders: readonly Holder[],
  now: number,
): D1PreparedStatement[] {
  return [
    ...holders.map(({ id, limit }) =>
      db
        .prepare(
          `INSERT INTO assignmentBudgets (site, holder, level, least, at)
           SELECT ?site, ?1, 1, ?2, ?3
           WHERE EXISTS (SELECT 1 FROM assignments WHERE site = ?site AND id = ?5)
           ON CONFLICT (site, holder) DO UPDATE SET
             level = 1 + MAX(MIN(level, 0), level - MAX(0, ?3 - at) * ?4), least = ?2, at = ?3`,
        )
        .bind(id, -CREDIT * limit, now, limit / RECOVERY_MS, assignmentId),
    ),
    db
      .prepare(
        `DELETE FROM assignmentBudgets WHERE site = ?site AND holder IN
           (SELECT holder FROM assignmentBudgets WHERE site = ?site AND at < ?1 ORDER BY at LIMIT ${DROPPED_ROWS})`,
      )
      .bind(now - RECOVERY_MS),
  ];
}
