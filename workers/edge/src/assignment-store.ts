/**
 * Assigns tasks. The server chooses them: successive requests of any page get the rollouts of one task. Train
 * seeds come from a counter, so no two groups share one. Not safe for concurrent calls; the Coordinator
 * serializes them.
 */
import { type AssignmentResponse, derivedSeed, type Perturbation } from "@waggle/protocol";
import { countTask, type Holder, readBudgets, requireBudget } from "./assignment-budget.ts";
import { forgottenName, forgottenRefusal } from "./forgotten-store.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

/** Limits on assignments. */
export type AssignmentOptions = {
  readonly environment: string;
  readonly firstSeed: number;
  readonly groupSize: number;
  readonly deadlineMs: number;
  /** Assigned groups that may be unfinished, waiting for visitors or for the trainer; 0 = no limit. */
  readonly maxUnfinishedGroups: number;
  /** Slots of one group that a visitor may hold; 0 = no limit. */
  readonly slotsPerVisitor: number;
  /** Slots of one group that an address prefix may hold; 0 = no limit. */
  readonly slotsPerPrefix: number;
  /** Tasks that a visitor may leave unanswered; 0 = no limit. */
  readonly unansweredPerVisitor: number;
  /** Tasks that an address prefix may leave unanswered; 0 = no limit. */
  readonly unansweredPerPrefix: number;
  /** The version that pages perturb, and the noise's standard deviation. Absent: they work with their own version. */
  readonly perturbs?: Pick<Perturbation, "policyVersion" | "scale"> | undefined;
};

/** The visitor who requests a task, and their network. */
export type Asker = {
  readonly visitorId: string;
  /** Keyed hash of the network; see `addressPrefix`. */
  readonly addressPrefix: string;
};

/** @property slots - assignments so far, with expired ones. */
type OpenGroup = { id: string; seed: number; slots: number };

const SEEDS = 0x1_0000_0000;
/** Slots reclaimed, and groups closed, per call. */
const RECLAIMED_SLOTS = 64;
const CLOSED_GROUPS = 256;
/** Open groups with free slots that are searched for one that this visitor may join. */
const SEARCHED_GROUPS = 64;
const NO_LIMIT = 1_000_000_000;

/** Time after which an unanswered slot is given to another visitor while its group is still open. */
function slotMs(deadlineMs: number): number {
  return Math.ceil(deadlineMs / 3);
}

/** Reclaims slots whose visitors did not answer in time. Late answers are still accepted. */
function reclaimSlots(db: SiteDatabase, deadlineMs: number, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE assignments SET state = 'expired' WHERE +site = ?site AND id IN
         (SELECT id FROM assignments WHERE site = ?site AND state = 'open' AND createdAt <= ?1
          ORDER BY createdAt LIMIT ${RECLAIMED_SLOTS})`,
    )
    .bind(now - slotMs(deadlineMs));
}

/** The oldest group with a free slot in which this visitor and network hold fewer slots than allowed. */
function findOpenGroup(
  db: SiteDatabase,
  { visitorId, addressPrefix }: Asker,
  options: AssignmentOptions,
  now: number,
): D1PreparedStatement {
  const most = (slots: number) => (slots === 0 ? NO_LIMIT : slots);
  return db
    .prepare(
      `SELECT id, seed,
         (SELECT COUNT(*) FROM assignments a WHERE a.site = ?site AND a.groupId = g.id) AS slots FROM
         (SELECT id, seed, deadlineAt FROM taskGroups
          WHERE site = ?site AND state = 'open' AND lateOf IS NULL AND assigned < capacity
            AND environment = ?1 AND split = 'train' AND deadlineAt > ?2
          ORDER BY deadlineAt LIMIT ${SEARCHED_GROUPS}) g
       WHERE (SELECT COUNT(*) FROM assignments a
              WHERE a.site = ?site AND a.groupId = g.id AND a.visitorId = ?3) < ?5
         AND (SELECT COUNT(*) FROM assignments a
              WHERE a.site = ?site AND a.groupId = g.id AND a.addressPrefix = ?4
                AND a.state != 'expired') < ?6
       ORDER BY deadlineAt LIMIT 1`,
    )
    .bind(
      options.environment,
      now,
      visitorId,
      addressPrefix,
      most(options.slotsPerVisitor),
      most(options.slotsPerPrefix),
    );
}

/**
 * Capacity control. A new rollout is learned from only after everything that already waits, by a policy that
 * has changed meanwhile. So no group starts while too many are unfinished. Abandoned groups are closed at
 * their deadline.
 *
 * Source: Fu et al. 2025, AReaL, arXiv:2505.24298, section 5.1 (a bound on staleness at submission).
 */
async function hasCapacity(db: SiteDatabase, most: number, now: number): Promise<boolean> {
  const [, counted] = await db.batch<{ count: number }>([
    db
      .prepare(
        `UPDATE taskGroups SET state = 'done' WHERE +site = ?site AND id IN
           (SELECT id FROM taskGroups
            WHERE site = ?site AND state = 'open' AND uploads = 0 AND deadlineAt <= ?1
            ORDER BY deadlineAt LIMIT ${CLOSED_GROUPS})`,
      )
      .bind(now),
    db
      .prepare(
        `SELECT COUNT(*) AS count FROM
           (SELECT 1 FROM taskGroups
            WHERE site = ?site AND state != 'done' AND environment IS NOT NULL AND lateOf IS NULL LIMIT ?1)`,
      )
      .bind(most),
  ]);
  return most === 0 || (counted?.results[0]?.count ?? 0) < most;
}

async function nextSeed(db: SiteDatabase, firstSeed: number): Promise<number> {
  const row = await db
    .prepare(
      `INSERT INTO counters (site, name, value) VALUES (?site, 'trainSeed', ?1)
       ON CONFLICT (site, name) DO UPDATE SET value = value + 1 RETURNING value`,
    )
    .bind(firstSeed)
    .first<{ value: number }>();
  return (row?.value ?? firstSeed) % SEEDS;
}

/**
 * The seeds of the group's next slot. Perturbations come in pairs of opposite directions, with the same noise, task and
 * sampling seed, so that a pair differs in the direction alone.
 */
function slotOf(
  { seed, slots }: OpenGroup,
  { perturbs }: AssignmentOptions,
): { readonly samplingSeed: number; readonly perturbation?: Perturbation } {
  const [samplingSeed = 0] = crypto.getRandomValues(new Uint32Array(1));
  if (perturbs === undefined) return { samplingSeed };
  const pair = slots >> 1;
  return {
    samplingSeed: derivedSeed(seed, pair, 1),
    perturbation: {
      ...perturbs,
      seed: derivedSeed(seed, pair, 0),
      direction: slots % 2 === 0 ? 1 : -1,
    },
  };
}

/**
 * Assigns a task to a visitor, in the oldest group with a free slot for them. Returns `null` while the
 * trainer is too far behind.
 * @throws WaggleError `RATE_LIMITED` for a visitor or network with too many unanswered tasks
 * @throws WaggleError `CONSENT_MISSING` for a forgotten visitor
 */
export async function assignTask(
  db: SiteDatabase,
  asker: Asker,
  options: AssignmentOptions,
  now: number,
): Promise<AssignmentResponse | null> {
  const holders: Holder[] = [
    { id: asker.visitorId, limit: options.unansweredPerVisitor },
    { id: asker.addressPrefix, limit: options.unansweredPerPrefix },
  ].filter(({ limit }) => limit > 0);
  const [, budgets, groups] = await db.batch([
    reclaimSlots(db, options.deadlineMs, now),
    readBudgets(db, holders),
    findOpenGroup(db, asker, options, now),
  ]);
  requireBudget((budgets?.results ?? []) as Parameters<typeof requireBudget>[0], holders, now);
  const open = groups?.results[0] as OpenGroup | undefined;
  if (!open && !(await hasCapacity(db, options.maxUnfinishedGroups, now))) return null;
  const group = open ?? {
    id: crypto.randomUUID(),
    seed: await nextSeed(db, options.firstSeed),
    slots: 0,
  };
  const assignmentId = crypto.randomUUID();
  const { samplingSeed, perturbation } = slotOf(group, options);
  // One transaction, so that a visitor who is forgotten meanwhile gets no row and takes no slot.
  const statements = [
    db
      .prepare(
        `INSERT INTO assignments (site, id, groupId, visitorId, addressPrefix, createdAt, samplingSeed,
           perturbation, perturbedVersion)
         SELECT ?site, ?1, ?2, ?3, ?4, ?5, ?7, ?8, ?9
         WHERE NOT EXISTS
           (SELECT 1 FROM forgottenVisitors WHERE site = ?site AND visitor = ?6)`,
      )
      .bind(
        assignmentId,
        group.id,
        asker.visitorId,
        asker.addressPrefix,
        now,
        await forgottenName(asker.visitorId),
        samplingSeed,
        perturbation === undefined ? null : JSON.stringify(perturbation),
        perturbation?.policyVersion ?? null,
      ),
    db
      .prepare(
        `UPDATE taskGroups SET assigned = assigned + 1
         WHERE site = ?site AND id = ?1
           AND EXISTS (SELECT 1 FROM assignments WHERE site = ?site AND id = ?2)`,
      )
      .bind(group.id, assignmentId),
    ...countTask(db, assignmentId, holders, now),
  ];
  if (!open) {
    statements.splice(
      1,
      0,
      db
        .prepare(
          `INSERT INTO taskGroups
             (site, id, environment, seed, split, capacity, assigned, createdAt, deadlineAt, state)
           SELECT ?site, ?1, ?2, ?3, 'train', ?4, 0, ?5, ?6, 'open'
           WHERE EXISTS (SELECT 1 FROM assignments WHERE site = ?site AND id = ?7)`,
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
    samplingSeed,
    ...(perturbation === undefined ? {} : { perturbation }),
  };
}
