/**
 * Who does which task. The server decides: groups of rollouts of one task go to successive requests of
 * any page. Train seeds come from a counter, so no two groups share one. Not safe against itself: the
 * Coordinator calls it one at a time.
 */
import { type AssignmentResponse, WaggleError } from "@waggle/protocol";
import { forgottenName, forgottenRefusal } from "./forgotten-book.ts";

export type AssignmentOptions = {
  readonly environment: string;
  readonly firstSeed: number;
  readonly groupSize: number;
  readonly deadlineMs: number;
  /** Groups that may be waiting for visitors or for the trainer; 0 = no limit. */
  readonly maxUnfinishedGroups: number;
};

type OpenGroup = { id: string; seed: number };

const SEEDS = 0x1_0000_0000;

/**
 * Assignments of a visitor within a deadline that nothing was uploaded for. Who only asks would keep
 * every group waiting for its deadline.
 */
export const MAX_OPEN_ASSIGNMENTS = 64;

async function requireRoom(
  db: D1Database,
  visitorId: string,
  deadlineMs: number,
  now: number,
): Promise<void> {
  const open = await db
    .prepare(
      `SELECT COUNT(*) AS count FROM assignments a WHERE visitorId = ?1 AND createdAt > ?2
         AND NOT EXISTS (SELECT 1 FROM trajectories t WHERE t.assignmentId = a.id)`,
    )
    .bind(visitorId, now - deadlineMs)
    .first<{ count: number }>();
  if ((open?.count ?? 0) < MAX_OPEN_ASSIGNMENTS) return;
  throw new WaggleError(
    "RATE_LIMITED",
    `a visitor may have ${MAX_OPEN_ASSIGNMENTS} unfinished assignments, got one more; upload or wait`,
    { retryable: true },
  );
}

/**
 * Capacity control: what is sampled now will be learned from only after everything that waits, by a
 * policy that has moved on meanwhile. So no group is begun while too many are unfinished.
 *
 * Source: Fu et al. 2025, AReaL, arXiv:2505.24298, section 5.1 (a bound on staleness at submission).
 */
async function hasCapacity(db: D1Database, most: number, now: number): Promise<boolean> {
  if (most === 0) return true;
  const row = await db
    .prepare(
      // A group that everybody abandoned waits for nothing once its deadline has passed.
      `SELECT COUNT(*) AS count FROM taskGroups g
       WHERE state != 'done' AND environment IS NOT NULL AND lateOf IS NULL
         AND (deadlineAt > ?1 OR EXISTS (SELECT 1 FROM trajectories t WHERE t.groupId = g.id))`,
    )
    .bind(now)
    .first<{ count: number }>();
  return (row?.count ?? 0) < most;
}

async function nextSeed(db: D1Database, firstSeed: number): Promise<number> {
  const row = await db
    .prepare(
      `INSERT INTO counters (name, value) VALUES ('trainSeed', ?1)
       ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
    )
    .bind(firstSeed)
    .first<{ value: number }>();
  return (row?.value ?? firstSeed) % SEEDS;
}

/**
 * One assignment for a visitor, in the oldest group that still has room. `null` while the trainer is too far
 * behind.
 * @throws WaggleError `RATE_LIMITED` for a visitor with too many unfinished ones, `CONSENT_MISSING` for a
 * forgotten one
 */
export async function assignTask(
  db: D1Database,
  visitorId: string,
  options: AssignmentOptions,
  now: number,
): Promise<AssignmentResponse | null> {
  await requireRoom(db, visitorId, options.deadlineMs, now);
  const open = await db
    .prepare(
      `SELECT id, seed FROM taskGroups
       WHERE state = 'open' AND lateOf IS NULL AND environment = ?1 AND split = 'train'
         AND assigned < capacity AND deadlineAt > ?2
       ORDER BY deadlineAt LIMIT 1`,
    )
    .bind(options.environment, now)
    .first<OpenGroup>();
  if (!open && !(await hasCapacity(db, options.maxUnfinishedGroups, now))) return null;
  const group = open ?? { id: crypto.randomUUID(), seed: await nextSeed(db, options.firstSeed) };
  const assignmentId = crypto.randomUUID();
  // One transaction: a visitor who is forgotten meanwhile gets no row and takes no place in a group.
  const statements = [
    db
      .prepare(
        `INSERT INTO assignments (id, groupId, visitorId, createdAt) SELECT ?1, ?2, ?3, ?4
         WHERE NOT EXISTS (SELECT 1 FROM forgottenVisitors WHERE visitor = ?5)`,
      )
      .bind(assignmentId, group.id, visitorId, now, await forgottenName(visitorId)),
    db
      .prepare(
        `UPDATE taskGroups SET assigned = assigned + 1
         WHERE id = ?1 AND EXISTS (SELECT 1 FROM assignments WHERE id = ?2)`,
      )
      .bind(group.id, assignmentId),
  ];
  if (!open) {
    statements.splice(
      1,
      0,
      db
        .prepare(
          `INSERT INTO taskGroups
             (id, environment, seed, split, capacity, assigned, createdAt, deadlineAt, state)
           SELECT ?1, ?2, ?3, 'train', ?4, 0, ?5, ?6, 'open'
           WHERE EXISTS (SELECT 1 FROM assignments WHERE id = ?7)`,
        )
        .bind(
          group.id,
          options.environment,
          group.seed,
          options.groupSize,
          now,
          now + options.deadlineMs,
          assignmentId,
        ),
    );
  }
  const [assigned] = await db.batch(statements);
  if (assigned?.meta.changes === 0) throw forgottenRefusal();
  return {
    assignmentId,
    groupId: group.id,
    task: { environment: options.environment, seed: group.seed, split: "train" },
  };
}
