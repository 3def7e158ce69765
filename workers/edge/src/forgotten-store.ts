/**
 * Visitors who asked to be forgotten. Their rows are deleted at once. Tombstones remain of each trajectory
 * that a policy learned from or may be learning from, so that `learnedBy` stays correct, and of the visitor,
 * so that an upload in progress is refused.
 */
import {
  type DeletionResponse,
  type DeletionsResponse,
  type PolicyStatus,
  sha256,
  WaggleError,
} from "@waggle/protocol";
import type { SiteDatabase } from "./sites/site-database.ts";

/** Hash that identifies a visitor in a tombstone. The id cannot be recovered from it. */
export function forgottenName(visitorId: string): Promise<string> {
  return sha256(`forgotten ${visitorId}`);
}

/**
 * Statement that remembers which versions may have learned from a visitor's rewards: those published after the version
 * that the rewards are about.
 * @param visitor - the visitor's `forgottenName`
 */
export function rememberRewards(
  db: SiteDatabase,
  visitorId: string,
  visitor: string,
  before = Number.MAX_SAFE_INTEGER,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO forgottenTrajectories (site, digest, visitor, learnedAtStep)
       SELECT a.site, a.id, ?2, p.step + 1
       FROM assignments a JOIN policies p ON p.site = a.site AND p.version = a.perturbedVersion
       WHERE a.visitorId = ?1 AND a.site = ?site AND a.rewardedAt < ?3
       ON CONFLICT DO NOTHING`,
    )
    .bind(visitorId, visitor, before);
}

/** Forgets a visitor. Repeating it succeeds with the same `learnedBy`. The caller deletes the objects. */
export async function forgetVisitor(
  db: SiteDatabase,
  visitorId: string,
  now: number,
): Promise<DeletionResponse> {
  const visitor = await forgottenName(visitorId);
  const results = await db.batch<{ version: number }>([
    db
      .prepare("INSERT INTO forgottenVisitors VALUES (?site, ?1, ?2) ON CONFLICT DO NOTHING")
      .bind(visitor, now),
    db
      .prepare(
        `INSERT INTO forgottenTrajectories (site, digest, visitor, leaseId, learnedAtStep)
         SELECT site, digest, ?2, CASE status WHEN 'leased' THEN leaseId END, learnedAtStep
         FROM trajectories
         WHERE site = ?site AND visitorId = ?1 AND (status = 'leased' OR learnedAtStep IS NOT NULL)
         ON CONFLICT DO NOTHING`,
      )
      .bind(visitorId, visitor),
    rememberRewards(db, visitorId, visitor),
    // A version has learned from the visitor if it was published at or after the first step that did.
    db
      .prepare(
        `SELECT version FROM policies
         WHERE site = ?site
           AND step >= (SELECT MIN(learnedAtStep) FROM forgottenTrajectories
                        WHERE site = ?site AND visitor = ?1)
         ORDER BY version`,
      )
      .bind(visitor),
    // Before the trajectories, whose deletion would take some of them uncounted.
    db
      .prepare(
        `DELETE FROM outcomes
         WHERE (visitorId = ?1 AND site = ?site) OR (sender = ?1 AND site = ?site) RETURNING 1`,
      )
      .bind(visitorId),
    // `changes` would also count rows that triggers write.
    db
      .prepare("DELETE FROM trajectories WHERE site = ?site AND visitorId = ?1 RETURNING 1")
      .bind(visitorId),
    db
      .prepare("DELETE FROM feedback WHERE site = ?site AND visitorId = ?1 RETURNING 1")
      .bind(visitorId),
    db.prepare("DELETE FROM assignments WHERE site = ?site AND visitorId = ?1").bind(visitorId),
    db.prepare("DELETE FROM consents WHERE visitorId = ?1 AND site = ?site").bind(visitorId),
    db.prepare("DELETE FROM requestSeeds WHERE visitorId = ?1 AND site = ?site").bind(visitorId),
    db.prepare("DELETE FROM reputations WHERE holder = ?1 AND site = ?site").bind(visitorId),
    db.prepare("DELETE FROM assignmentBudgets WHERE site = ?site AND holder = ?1").bind(visitorId),
    db.prepare("DELETE FROM deadLetters WHERE site = ?site AND visitorId = ?1").bind(visitorId),
    db.prepare("DELETE FROM releaseVisitors WHERE visitorId = ?1 AND site = ?site").bind(visitorId),
  ]);
  const [, , , learned, outcomes, trajectories, feedback] = results;
  return {
    deletedTrajectories: trajectories?.results.length ?? 0,
    deletedFeedback: feedback?.results.length ?? 0,
    deletedOutcomes: outcomes?.results.length ?? 0,
    learnedBy: (learned?.results ?? []).map((row) => row.version),
  };
}

/** The versions that learned from visitors who were forgotten since. */
export async function learnedFromForgotten(db: SiteDatabase): Promise<DeletionsResponse> {
  const [visitors, steps, policies] = await Promise.all([
    db
      .prepare("SELECT COUNT(*) AS count FROM forgottenVisitors WHERE site = ?site")
      .bind()
      .first<{ count: number }>(),
    // Retention leaves such rows, too, but of visitors who were not forgotten.
    db
      .prepare(
        `SELECT t.learnedAtStep AS step, COUNT(*) AS count
         FROM forgottenVisitors v JOIN forgottenTrajectories t ON t.visitor = v.visitor AND t.site = v.site
         WHERE v.site = ?site AND t.learnedAtStep IS NOT NULL GROUP BY t.learnedAtStep`,
      )
      .bind()
      .all<{ step: number; count: number }>(),
    db
      .prepare(
        "SELECT version, status, step FROM policies WHERE site = ?site ORDER BY version DESC",
      )
      .bind()
      .all<{ version: number; status: PolicyStatus; step: number }>(),
  ]);
  const learnedBy = (last: number): number =>
    steps.results.reduce((sum, { step, count }) => (step <= last ? sum + count : sum), 0);
  return {
    visitors: visitors?.count ?? 0,
    learned: learnedBy(Infinity),
    versions: policies.results
      .map(({ version, status, step }) => ({ version, status, trajectories: learnedBy(step) }))
      .filter(({ trajectories }) => trajectories > 0),
  };
}

/** Whether this visitor was forgotten. */
export async function isForgotten(db: SiteDatabase, visitorId: string): Promise<boolean> {
  const row = await db
    .prepare("SELECT 1 FROM forgottenVisitors WHERE site = ?site AND visitor = ?1")
    .bind(await forgottenName(visitorId))
    .first();
  return row !== null;
}

/** The error for anything that would be stored for a forgotten visitor. */
export function forgottenRefusal(): WaggleError {
  return new WaggleError(
    "CONSENT_MISSING",
    "this visitor was forgotten, so nothing is stored for them; open a new session",
  );
}

/** Digests of a lease whose visitors were forgotten after it was granted. */
export async function forgottenUnder(db: SiteDatabase, leaseId: string): Promise<string[]> {
  const { results } = await db
    .prepare(
      "SELECT digest FROM forgottenTrajectories WHERE site = ?site AND leaseId = ?1 ORDER BY digest",
    )
    .bind(leaseId)
    .all<{ digest: string }>();
  return results.map((row) => row.digest);
}

/** Records steps that learned from trajectories although their visitors were forgotten. @param outcomes JSON array */
export function noteLearned(db: SiteDatabase, outcomes: string): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE forgottenTrajectories
       SET learnedAtStep = COALESCE(learnedAtStep, o.value ->> 'step'), leaseId = NULL
       FROM json_each(?1) AS o
       WHERE +forgottenTrajectories.site = ?site
         AND forgottenTrajectories.digest = o.value ->> 'digest'
         AND o.value ->> 'status' = 'learned'`,
    )
    .bind(outcomes);
}

/** Deletes tombstones of a lease that ended without learning from them. */
export function dropUnlearned(db: SiteDatabase, leaseId: string): D1PreparedStatement {
  return db
    .prepare("DELETE FROM forgottenTrajectories WHERE site = ?site AND leaseId = ?1")
    .bind(leaseId);
}
