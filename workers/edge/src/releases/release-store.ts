/** Releases in D1. At most one of a site is running; its candidate is the version on the canary channel. */
import type { ReleaseDecision } from "@waggle/evaluation";
import { type PoliciesResponse, type Release, WaggleError } from "@waggle/protocol";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import type { StoredPlan } from "./release-plan.ts";

/** Action and reason of the last decision, and its time. */
export type StoredDecision = Pick<ReleaseDecision, "action" | "reason"> & { readonly at: number };

/** A release as it is stored. */
export type StoredRelease = {
  readonly version: number;
  readonly stable: number;
  readonly plan: StoredPlan;
  /** Index of the plan's stage. */
  readonly stage: number;
  readonly share: number;
  readonly state: Release["state"];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly decision: StoredDecision | null;
};

type Row = Omit<StoredRelease, "plan" | "decision"> & { plan: string; decision: string | null };

const COLUMNS = "version, stable, plan, stage, share, state, startedAt, endedAt, decision";

/** Releases that an operator sees. */
const NEWEST = 10;

function stored({ plan, decision, ...row }: Row): StoredRelease {
  return {
    ...row,
    plan: JSON.parse(plan) as StoredPlan,
    decision: decision === null ? null : (JSON.parse(decision) as StoredDecision),
  };
}

/** The running release of the site; `null` if there is none. */
export async function runningRelease(db: SiteDatabase): Promise<StoredRelease | null> {
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM releases WHERE site = ?site AND state = 'running'`)
    .bind()
    .first<Row>();
  return row && stored(row);
}

/** The newest releases, newest first. */
export async function newestReleases(db: SiteDatabase): Promise<StoredRelease[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM releases WHERE site = ?site ORDER BY version DESC LIMIT ${NEWEST}`,
    )
    .bind()
    .all<Row>();
  return results.map(stored);
}

/** Candidate and share of the running release; `null` if there is none. */
export async function runningShare(
  db: SiteDatabase,
): Promise<NonNullable<PoliciesResponse["release"]> | null> {
  return db
    .prepare("SELECT version, share FROM releases WHERE site = ?site AND state = 'running'")
    .bind()
    .first<{ version: number; share: number }>();
}

/** `0.07` as `7 %`. */
export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))} %`;
}

/** Share of visitors on the canary channel. */
export async function canaryShare(db: SiteDatabase, { CANARY_SHARE }: Settings): Promise<number> {
  return (await runningShare(db))?.share ?? CANARY_SHARE;
}

/** @throws WaggleError `RELEASE_RUNNING`. A trainer of an earlier release repeats its call until the release has ended. */
export async function requireNoRelease(db: SiteDatabase): Promise<void> {
  const running = await runningShare(db);
  if (running === null) return;
  throw new WaggleError(
    "RELEASE_RUNNING",
    `version ${running.version} is being released to ${percent(running.share)} of the visitors; the edge will promote it or roll it back, or an operator can`,
    { retryable: true },
  );
}

/** Starts the release of a candidate that the same batch publishes. */
export function startRelease(
  db: SiteDatabase,
  version: number,
  stable: number,
  plan: StoredPlan,
  now: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO releases (site, version, stable, plan, stage, share, state, startedAt)
       VALUES (?site, ?1, ?2, ?3, 0, ?4, 'running', ?5)`,
    )
    .bind(version, stable, JSON.stringify(plan), plan.rule.stages[0]?.share ?? 0, now);
}

/** Ends the running release if the same batch took its candidate off the canary channel. */
export function endRelease(db: SiteDatabase, now: number): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE releases SET endedAt = ?1,
         state = CASE p.status WHEN 'stable' THEN 'promoted' ELSE 'rolled-back' END
       FROM policies p
       WHERE releases.site = ?site AND releases.state = 'running'
         AND p.site = ?site AND p.version = releases.version AND p.status != 'canary'`,
    )
    .bind(now);
}

/** Moves the running release to a later stage, unless it ended or moved meanwhile. */
export function moveRelease(
  db: SiteDatabase,
  { version, stage }: StoredRelease,
  share: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE releases SET stage = ?2 + 1, share = ?3
       WHERE site = ?site AND version = ?1 AND stage = ?2 AND state = 'running'`,
    )
    .bind(version, stage, share);
}

/** Stores the last decision. */
export async function noteDecision(
  db: SiteDatabase,
  version: number,
  decision: StoredDecision,
): Promise<void> {
  await db
    .prepare("UPDATE releases SET decision = ?2 WHERE site = ?site AND version = ?1")
    .bind(version, JSON.stringify(decision))
    .run();
}
