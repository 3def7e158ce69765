/**
 * Leases that nobody holds any more, and rows and groups that are leased although no lease holds them. The Coordinator runs
 * these, so that no lease is granted or ended meanwhile.
 */
import { GROUP_GIVEN_BACK } from "../leases/group-given-back.ts";
import { loseExpired } from "../leases/lease-store.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { type CheckedPage, GRACE_MS, nextAfter, type PageRequest } from "./checked-page.ts";

const PAGE = 200;

/** Whether an active lease holds the row or group of the outer statement. */
const heldBy = (column: string): string =>
  `EXISTS (SELECT 1 FROM leases l WHERE l.site = ?site AND l.id = ${column} AND l.state = 'active')`;

/**
 * Leases that expired long ago. A repair ends them, as the next lease would do: their rows can be leased again, and each
 * counts one failure.
 */
export async function checkLeases(
  db: SiteDatabase,
  mostFailures: number,
  { repair, now }: PageRequest,
): Promise<CheckedPage> {
  const { results } = await db
    .prepare(
      "SELECT id, trainerId, expiresAt FROM leases WHERE site = ?site AND state = 'active' ORDER BY id",
    )
    .bind()
    .all<{ id: string; trainerId: string; expiresAt: number }>();
  const before = now - GRACE_MS;
  const expired = results.filter(({ expiresAt }) => expiresAt <= before);
  if (repair && expired.length > 0) await loseExpired(db, mostFailures, before);
  return {
    checked: results.length,
    found: expired.map(({ id, trainerId, expiresAt }) => ({
      kind: "lease-not-ended",
      name: id,
      detail: `trainer ${trainerId}, expired at ${new Date(expiresAt).toISOString()}`,
      repaired: repair,
    })),
    next: null,
  };
}

/** What a look at one page of leased rows or groups found. */
type Leased = { readonly name: string; readonly held: number };

function namesOfFree(leased: readonly Leased[]): string[] {
  return leased.filter(({ held }) => held === 0).map(({ name }) => name);
}

function leasedPage(
  kind: "row-without-lease" | "group-without-lease",
  leased: readonly Leased[],
  repaired: boolean,
): CheckedPage {
  return {
    checked: leased.length,
    found: namesOfFree(leased).map((name) => ({
      kind,
      name,
      detail: "leased, but no active lease holds it",
      repaired,
    })),
    next: nextAfter(leased.length, PAGE, leased.at(-1)?.name),
  };
}

/** Leased rows without an active lease. A repair makes them ready to be leased. */
export async function checkLeasedRows(
  db: SiteDatabase,
  { after, repair }: PageRequest,
): Promise<CheckedPage> {
  const { results } = await db
    .prepare(
      `SELECT digest AS name, ${heldBy("leaseId")} AS held FROM trajectories
       WHERE +site = ?site AND digest > ?1 AND +status = 'leased' ORDER BY digest LIMIT ?2`,
    )
    .bind(after, PAGE)
    .all<Leased>();
  const free = namesOfFree(results);
  if (repair && free.length > 0) {
    const list = JSON.stringify(free);
    await db.batch([
      db
        .prepare(
          `UPDATE trajectories SET status = 'ready', leaseId = NULL
           WHERE +site = ?site AND +status = 'leased' AND digest IN (SELECT value FROM json_each(?1))`,
        )
        .bind(list),
      db
        .prepare(
          `UPDATE taskGroups SET state = 'open', leaseId = NULL
           WHERE +site = ?site AND state != 'open' AND NOT ${heldBy("taskGroups.leaseId")}
             AND id IN (SELECT t.groupId FROM trajectories t
                        WHERE +t.site = ?site AND t.digest IN (SELECT value FROM json_each(?1)))`,
        )
        .bind(list),
    ]);
  }
  return leasedPage("row-without-lease", results, repair);
}

/** Leased groups without an active lease. A repair opens those with ready rows and closes the others. */
export async function checkLeasedGroups(
  db: SiteDatabase,
  { after, repair }: PageRequest,
): Promise<CheckedPage> {
  const { results } = await db
    .prepare(
      `SELECT id AS name, ${heldBy("leaseId")} AS held FROM taskGroups
       WHERE +site = ?site AND id > ?1 AND +state = 'leased' ORDER BY id LIMIT ?2`,
    )
    .bind(after, PAGE)
    .all<Leased>();
  const free = namesOfFree(results);
  if (repair && free.length > 0) {
    await db
      .prepare(
        `UPDATE taskGroups SET ${GROUP_GIVEN_BACK}
         WHERE +site = ?site AND state = 'leased' AND id IN (SELECT value FROM json_each(?1))`,
      )
      .bind(JSON.stringify(free))
      .run();
  }
  return leasedPage("group-without-lease", results, repair);
}
