/**
 * The choice of what the next lease holds. It leases nothing. Rows whose visitor no longer agrees to learning are skipped here,
 * so that none of them is leased and each is counted.
 */
import type { LeaseRequest, TaskReference } from "@waggle/protocol";
import type { SiteDatabase } from "../sites/site-database.ts";
import { type ConsentTime, consentTimes, endedConsent } from "../visitors/ended-consent.ts";
import { skipEndedOfGroups } from "./ended-consents.ts";

/** Decoded trajectory text in one lease; a Worker has 128 MB. A larger group is leased in parts. */
export const MAX_LEASE_BYTES: number = 16 * 1024 * 1024;
/** After this many failures a group is leased alone, so that a bad row in it cannot delay others. */
const SUSPECT_FAILURES = 2;
/** Looks for groups in one call. If all that were found are skipped, the next call looks on. */
const MOST_LOOKS = 8;

/** A group that can be leased. */
type Candidate = {
  readonly id: string;
  readonly environment: string | null;
  readonly seed: number;
  readonly split: TaskReference["split"];
  readonly assigned: number;
  readonly bytes: number;
  readonly failures: number;
};

type ReadyRow = {
  readonly digest: string;
  readonly groupId: string;
  readonly sizeBytes: number;
  readonly isEnded: 0 | 1;
};

/**
 * The groups of the next lease. A group that failed before is leased alone, and only to a trainer without
 * other leases, so that a crash of that trainer is attributed to this group.
 */
async function candidates(
  db: SiteDatabase,
  { trainerId, maxGroups }: LeaseRequest,
  now: number,
): Promise<Candidate[]> {
  const { results } = await db
    .prepare(
      // MAX_UNFINISHED_GROUPS limits the groups that wait for siblings, so few rows are skipped.
      `SELECT g.id, g.environment, g.seed, g.split, g.assigned,
              (SELECT SUM(t.sizeBytes) FROM trajectories t
               WHERE t.site = ?site AND t.groupId = g.id AND t.status = 'ready') AS bytes,
              (SELECT MAX(t.failedLeases) FROM trajectories t
               WHERE t.site = ?site AND t.groupId = g.id AND t.status = 'ready') AS failures
       FROM taskGroups g
       WHERE g.site = ?site AND g.state = 'open' AND g.readyAt IS NOT NULL
         AND (g.deadlineAt <= ?1
              OR (g.lateOf IS NULL AND g.assigned >= g.capacity AND g.uploads >= g.assigned))
         AND (failures < ?3
              OR NOT EXISTS (SELECT 1 FROM leases
                             WHERE site = ?site AND state = 'active' AND trainerId = ?4))
       ORDER BY g.readyAt, g.id LIMIT ?2`,
    )
    .bind(now, maxGroups, SUSPECT_FAILURES, trainerId)
    .all<Candidate>();
  const [oldest] = results;
  if (oldest === undefined || isSuspect(oldest)) return results.slice(0, 1);
  const chosen: Candidate[] = [];
  let bytes = 0;
  for (const candidate of results.filter((one) => !isSuspect(one))) {
    bytes += candidate.bytes;
    if (chosen.length > 0 && bytes > MAX_LEASE_BYTES) break;
    chosen.push(candidate);
  }
  return chosen;
}

/** Whether a group is leased alone. */
export const isSuspect = ({ failures }: Candidate): boolean => failures >= SUSPECT_FAILURES;

/** The ready rows of groups, oldest first. */
async function readyRows(
  db: SiteDatabase,
  groupIds: readonly string[],
  time: ConsentTime,
): Promise<ReadyRow[]> {
  const { results } = await db
    .prepare(
      `SELECT t.digest, t.groupId, t.sizeBytes, (${endedConsent("?2")}) IS NOT NULL AS isEnded FROM trajectories t
       WHERE +t.site = ?site AND +t.status = 'ready' AND t.groupId IN (SELECT value FROM json_each(?1))
       ORDER BY t.receivedAt, t.digest`,
    )
    .bind(JSON.stringify(groupIds), consentTimes(time))
    .all<ReadyRow>();
  return results;
}

/**
 * The groups to lease and the digests of their rows: all, or the part of an oversized group that fits. A group loses rows whose
 * consents have ended, as it loses rows of forgotten visitors; the rest of it is leased.
 */
export async function chooseGroups(
  db: SiteDatabase,
  request: LeaseRequest,
  time: ConsentTime,
): Promise<{ readonly groups: readonly Candidate[]; readonly digests: readonly string[] }> {
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const found = await candidates(db, request, time.now);
    const rows = await readyRows(
      db,
      found.map(({ id }) => id),
      time,
    );
    const ended = rows.filter(({ isEnded }) => isEnded === 1);
    if (ended.length > 0) await db.batch(skipEndedOfGroups(db, ended, time));
    const left = rows.filter(({ isEnded }) => isEnded === 0);
    const ids = new Set(left.map(({ groupId }) => groupId));
    const groups = found.filter(({ id }) => ids.has(id));
    if (groups.length > 0) return { groups, digests: fitting(left) };
    if (found.length === 0) break;
  }
  return { groups: [], digests: [] };
}

/** The rows that fit into one lease; the first always does. */
function fitting(rows: readonly ReadyRow[]): string[] {
  let bytes = 0;
  const fit = rows.filter(({ sizeBytes }, index) => {
    bytes += sizeBytes;
    return index === 0 || bytes <= MAX_LEASE_BYTES;
  });
  return fit.map(({ digest }) => digest);
}
