/**
 * Leases of whole groups. Each lease has a greater fencing token than the one before. It ends when it is
 * released or acknowledged, or when the next lease finds it expired. Until then a late trainer may still renew
 * or acknowledge it, since no other lease holds its groups. The Coordinator serializes the calls.
 */
import {
  type AcknowledgeRequest,
  type AcknowledgeResponse,
  type LeaseRequest,
  type TaskReference,
  type TrajectoryOutcome,
  WaggleError,
} from "@waggle/protocol";
import { buryFailedChecks, countFailures } from "../dead-letter-store.ts";
import { dropUnlearned, forgottenUnder, noteLearned } from "../forgotten-store.ts";
import { noteLineage } from "../lineage-store.ts";
import { chooseGroups, isSuspect } from "./chosen-groups.ts";
import { endedUnder, skipEndedOfLease } from "./ended-consents.ts";
import { GROUP_GIVEN_BACK } from "./group-given-back.ts";
import {
  COUNT_LATE,
  COUNT_OUTCOMES,
  DROP_LEARNED_LETTERS,
  WRITE_LATE,
  WRITE_OUTCOMES,
} from "./outcome-statements.ts";
import type { Settings } from "../settings.ts";
import { keepStartedSignals } from "../signals/stopped-signals.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { keepUnanswered } from "../staff/staff-notes.ts";

/** Outcomes in the JSON parameter of one statement. */
const OUTCOMES_PER_STATEMENT = 500;

/** A leased trajectory and the key of its object. */
export type LeasedRow = {
  readonly digest: string;
  readonly id: string;
  readonly groupId: string;
  readonly visitorId: string;
  readonly receivedAt: number;
  readonly objectKey: string;
  /** The step that first learned from it; `null` if none did. */
  readonly learnedAtStep: number | null;
  readonly network: string | null;
  readonly siteKey: string | null;
  /** Kind of a request that waited for feedback; `null` for others. */
  readonly stratum: string | null;
  /** Counts of its visitor and of its network; `null` if there are none. */
  readonly visitorVerified: number | null;
  readonly visitorForged: number | null;
  readonly visitorDropped: number | null;
  readonly networkVerified: number | null;
  readonly networkForged: number | null;
};

type GrantedGroup = {
  readonly groupId: string;
  readonly task: TaskReference | null;
  readonly size: number;
  readonly rows: readonly LeasedRow[];
};

/** A lease as the Coordinator grants it, before its objects are read. */
export type GrantedLease = {
  readonly leaseId: string | null;
  readonly fencingToken: number;
  readonly expiresAt: number;
  readonly groups: readonly GrantedGroup[];
  readonly isAlone: boolean;
};

type LeaseRow = {
  id: string;
  fencingToken: number;
  state: "active" | "lost" | "released" | "acknowledged";
  answer: string | null;
};

/** Statements that return the groups and rows of leases; `which` is a condition on `leases`. */
function giveBack(db: SiteDatabase, which: string, ...values: (string | number)[]) {
  const ids = `SELECT id FROM leases WHERE site = ?site AND ${which}`;
  return [
    db
      .prepare(
        `UPDATE trajectories SET status = 'ready', leaseId = NULL
         WHERE +site = ?site AND status = 'leased' AND leaseId IN (${ids})`,
      )
      .bind(...values),
    db
      .prepare(
        `UPDATE taskGroups SET ${GROUP_GIVEN_BACK}
         WHERE +site = ?site AND leaseId IN (${ids})`,
      )
      .bind(...values),
  ];
}

/** Ends the leases that expired at `now` or before, and returns their groups and rows. */
export async function loseExpired(
  db: SiteDatabase,
  mostFailures: number,
  now: number,
): Promise<void> {
  const expired = "state = 'active' AND expiresAt <= ?1";
  await db.batch([
    ...countFailures(db, expired, now, mostFailures, now),
    ...giveBack(db, expired, now),
    db.prepare(`UPDATE leases SET state = 'lost' WHERE site = ?site AND ${expired}`).bind(now),
  ]);
}

/** The settings of a site that decide about its leases. */
export type LeaseSettings = Pick<Settings, "MAX_LEASE_FAILURES" | "CONSENT_DAYS">;

/** Leases whole groups, oldest first; `leaseId` is null if none is ready. */
export async function leaseGroups(
  db: SiteDatabase,
  request: LeaseRequest,
  { MAX_LEASE_FAILURES: mostFailures, CONSENT_DAYS }: LeaseSettings,
  now: number,
): Promise<GrantedLease> {
  await loseExpired(db, mostFailures, now);
  const { groups, digests: chosen } = await chooseGroups(db, request, { CONSENT_DAYS, now });
  const newest = await db
    .prepare("SELECT MAX(fencingToken) AS token FROM leases WHERE site = ?site")
    .bind()
    .first<{ token: number | null }>();
  if (groups.length === 0) {
    return {
      leaseId: null,
      fencingToken: newest?.token ?? 0,
      expiresAt: now,
      groups: [],
      isAlone: false,
    };
  }
  const leaseId = crypto.randomUUID();
  const fencingToken = (newest?.token ?? 0) + 1;
  const expiresAt = now + request.durationSeconds * 1000;
  const groupIds = JSON.stringify(groups.map((group) => group.id));
  const digests = JSON.stringify(chosen);
  const [, , , taken] = await db.batch<LeasedRow>([
    db
      .prepare(
        `INSERT INTO leases (site, id, fencingToken, trainerId, createdAt, expiresAt, state)
         VALUES (?site, ?1, ?2, ?3, ?4, ?5, 'active')`,
      )
      .bind(leaseId, fencingToken, request.trainerId, now, expiresAt),
    db
      .prepare(
        `UPDATE taskGroups SET state = 'leased', leaseId = ?1
         WHERE +site = ?site AND id IN (SELECT value FROM json_each(?2))`,
      )
      .bind(leaseId, groupIds),
    // Not a row that a retry has moved to another group since it was chosen.
    db
      .prepare(
        `UPDATE trajectories SET status = 'leased', leaseId = ?1
         WHERE +site = ?site AND +status = 'ready' AND digest IN (SELECT value FROM json_each(?2))
           AND +groupId IN (SELECT value FROM json_each(?3))`,
      )
      .bind(leaseId, digests, groupIds),
    db
      .prepare(
        `SELECT t.digest, t.id, t.groupId, t.visitorId, t.receivedAt, t.objectKey, t.learnedAtStep,
           t.network, t.siteKey, r.stratum,
           v.verified AS visitorVerified, v.forged AS visitorForged, v.dropped AS visitorDropped,
           n.verified AS networkVerified, n.forged AS networkForged
         FROM trajectories t
         LEFT JOIN reputations v ON v.holder = t.visitorId AND v.site = t.site
         LEFT JOIN reputations n ON n.holder = t.network AND n.site = t.site
         LEFT JOIN responses r ON r.trajectoryId = t.id AND r.site = t.site
         WHERE t.site = ?site AND t.leaseId = ?1 AND t.status = 'leased' ORDER BY t.receivedAt, t.digest`,
      )
      .bind(leaseId),
  ]);
  const byGroup = Map.groupBy(taken?.results ?? [], (row) => row.groupId);
  return {
    leaseId,
    fencingToken,
    expiresAt,
    isAlone: groups.some(isSuspect),
    groups: groups.map((group) => ({
      groupId: group.id,
      task:
        group.environment === null
          ? null
          : { environment: group.environment, seed: group.seed, split: group.split },
      size: group.assigned,
      rows: byGroup.get(group.id) ?? [],
    })),
  };
}

async function findLease(db: SiteDatabase, id: string, fencingToken: number): Promise<LeaseRow> {
  const lease = await db
    .prepare("SELECT id, fencingToken, state, answer FROM leases WHERE site = ?site AND id = ?1")
    .bind(id)
    .first<LeaseRow>();
  if (lease === null || lease.fencingToken !== fencingToken) throw leaseLost();
  return lease;
}

function leaseLost(): WaggleError {
  return new WaggleError(
    "LEASE_LOST",
    "this lease has ended or its fencing token is outdated; lease again",
  );
}

/**
 * Extends a lease.
 * @returns its new end, and the digests that must no longer be learned from: their visitors were forgotten or their consents
 * have ended, or the trainer of an expired lease has already learned from them
 * @throws WaggleError `LEASE_LOST`
 */
export async function renewLease(
  db: SiteDatabase,
  id: string,
  fencingToken: number,
  durationSeconds: number,
  { CONSENT_DAYS }: Pick<Settings, "CONSENT_DAYS">,
  now: number,
): Promise<{ expiresAt: number; forgotten: string[] }> {
  const lease = await findLease(db, id, fencingToken);
  if (lease.state !== "active") throw leaseLost();
  const expiresAt = now + durationSeconds * 1000;
  await db
    .prepare("UPDATE leases SET expiresAt = ?2 WHERE site = ?site AND id = ?1")
    .bind(id, expiresAt)
    .run();
  const { results } = await db
    .prepare(
      "SELECT digest FROM trajectories WHERE site = ?site AND leaseId = ?1 AND status <> 'leased'",
    )
    .bind(id)
    .all<{ digest: string }>();
  const settled = results.map(({ digest }) => digest);
  const ended = await endedUnder(db, id, { CONSENT_DAYS, now });
  return { expiresAt, forgotten: [...(await forgottenUnder(db, id)), ...ended, ...settled] };
}

/** Returns groups unlearned, without counting a failure. Repeating it succeeds. @throws WaggleError `LEASE_LOST` */
export async function releaseLease(
  db: SiteDatabase,
  id: string,
  fencingToken: number,
): Promise<void> {
  const lease = await findLease(db, id, fencingToken);
  if (lease.state === "released") return;
  if (lease.state !== "active") throw leaseLost();
  await db.batch([
    ...giveBack(db, "id = ?1", id),
    dropUnlearned(db, id),
    db.prepare("UPDATE leases SET state = 'released' WHERE site = ?site AND id = ?1").bind(id),
  ]);
}

function chunk<T>(values: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    values.slice(i * size, (i + 1) * size),
  );
}

/**
 * Writes the outcomes of leased trajectories and ends the lease. Rows without an outcome are returned. Repeating
 * it gets the same answer. Under an expired lease, learned rows are still marked as learned, so that they are
 * not learned from again; other outcomes are ignored.
 * @throws WaggleError `LEASE_LOST`
 */
export async function acknowledgeLease(
  db: SiteDatabase,
  id: string,
  request: AcknowledgeRequest,
  { MAX_LEASE_FAILURES: mostFailures, CONSENT_DAYS }: LeaseSettings,
  now: number,
): Promise<AcknowledgeResponse> {
  const unique = [
    ...new Map<string, TrajectoryOutcome>(request.outcomes.map((o) => [o.digest, o])).values(),
  ];
  const parts = chunk(unique, OUTCOMES_PER_STATEMENT).map((part) => JSON.stringify(part));
  // Steps that were learned count, even if the lease has ended.
  const lineage = request.lineage === undefined ? [] : [noteLineage(db, request.lineage)];
  const durable = [...parts.map((part) => noteLearned(db, part)), ...lineage];
  if (durable.length > 0) await db.batch(durable);
  const lease = await findLease(db, id, request.fencingToken);
  if (lease.state === "acknowledged" && lease.answer !== null) {
    return JSON.parse(lease.answer) as AcknowledgeResponse;
  }
  const isLate = lease.state === "lost" && unique.some(({ status }) => status === "learned");
  if (lease.state !== "active" && !isLate) throw leaseLost();
  const answer: AcknowledgeResponse = { acknowledged: 0, twice: 0 };
  for (const part of parts) {
    const counts = await db
      .prepare(isLate ? COUNT_LATE : COUNT_OUTCOMES)
      .bind(...(isLate ? [part] : [part, id]))
      .first<{ held: number | null; twice: number | null }>();
    answer.acknowledged += counts?.held ?? 0;
    answer.twice += counts?.twice ?? 0;
  }
  const close = db
    .prepare("UPDATE leases SET state = 'acknowledged', answer = ?2 WHERE site = ?site AND id = ?1")
    .bind(id, JSON.stringify(answer));
  if (isLate) {
    await db.batch([
      ...parts.map((part) => db.prepare(WRITE_LATE).bind(part)),
      ...parts.map((part) => db.prepare(DROP_LEARNED_LETTERS).bind(part)),
      close,
    ]);
    return answer;
  }
  await db.batch([
    ...parts.map((part) => db.prepare(WRITE_OUTCOMES).bind(part, id)),
    buryFailedChecks(db, id, now),
    skipEndedOfLease(db, id, { CONSENT_DAYS, now }),
    ...countFailures(db, "id = ?1", id, mostFailures, now),
    keepStartedSignals(db, id),
    keepUnanswered(db, id),
    ...giveBack(db, "id = ?1", id),
    ...parts.map((part) => noteLearned(db, part)),
    dropUnlearned(db, id),
    close,
  ]);
  return answer;
}
