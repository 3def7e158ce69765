/**
 * Counts of a release. Each live request of the candidate or of the stable version counts once, by the version that its
 * trajectory names. A page can name any version, and can be too old to have the candidate. So a request counts only if its
 * version is the one that the edge serves to its visitor: the visitors of both arms differ by chance alone. Values
 * arrive at any time; they mark the visitor, and the visitor's sums are computed
 * again from the rows before the next decision.
 */
import {
  type ArmSums,
  EMPTY_ARM,
  MAX_VALUES_PER_VISITOR,
  type ReleaseCounts,
  type StageSums,
} from "@waggle/evaluation";
import type { SiteDatabase } from "../sites/site-database.ts";
import type { StoredRelease } from "./release-store.ts";

/** Visitors whose values are counted in one call. */
const BATCH = 100;
/** Visitors whose rows are deleted in one call. */
const DELETED = 500;

/**
 * Counts a live trajectory in the running release. Run it in one batch with the insertion of its row; repeating it
 * changes nothing.
 *
 * @param position - of the visitor, in [0, 1): see `channelPosition`.
 */
export function countRequest(
  db: SiteDatabase,
  digest: string,
  position: number,
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO releaseRequests (site, version, trajectoryId, visitorId, stage, arm)
       SELECT ?site, r.version, t.id, t.visitorId, r.stage,
         CASE t.policyVersion WHEN r.version THEN 'candidate' ELSE 'stable' END
       FROM releases r CROSS JOIN trajectories t
       WHERE r.site = ?site AND r.state = 'running' AND t.digest = ?1 AND t.site = ?site
         AND t.assignmentId IS NULL AND t.receivedAt >= r.startedAt
         AND t.policyVersion = CASE WHEN ?2 < r.share THEN r.version ELSE r.stable END
       ON CONFLICT DO NOTHING`,
    )
    .bind(digest, position);
}

const STALE = `SELECT visitorId, stage, arm FROM releaseVisitors
  WHERE site = ?site AND version = ?1 AND state = 'stale' ORDER BY visitorId LIMIT ${BATCH}`;

/**
 * The last thumb counts, and the server's outcome before the page's. "+" keeps the planner away from the index of all rows
 * of a visitor.
 */
const COUNT = `
  WITH stale AS MATERIALIZED (${STALE}),
  valued AS MATERIALIZED (
    SELECT s.visitorId, s.stage, s.arm, m.value ->> 'name' AS metric,
      CASE m.value ->> 'type' WHEN 'thumb' THEN
        (SELECT f.kind = 'thumb-up' FROM feedback f
         WHERE f.trajectoryId = q.trajectoryId AND f.site = ?site AND +f.visitorId = q.visitorId
           AND f.kind IN ('thumb-up', 'thumb-down') ORDER BY f.receivedAt DESC, f.id DESC LIMIT 1)
      ELSE
        (SELECT (o.value - (m.value ->> 'worst')) / ((m.value ->> 'best') - (m.value ->> 'worst'))
         FROM outcomes o
         WHERE o.trajectoryId = q.trajectoryId AND o.metric = m.value ->> 'name' AND o.site = ?site
           AND +o.visitorId = q.visitorId AND o.type = m.value ->> 'type'
         ORDER BY o.sender = '' DESC LIMIT 1)
      END AS value
    FROM stale s CROSS JOIN releaseRequests q CROSS JOIN json_each(?2) m
    WHERE q.visitorId = s.visitorId AND q.version = ?1 AND q.site = ?site
      AND q.ordinal <= ${MAX_VALUES_PER_VISITOR})
  INSERT INTO releaseValues (site, version, visitorId, metric, stage, arm, n, y)
  SELECT ?site, ?1, visitorId, metric, stage, arm, COUNT(value), TOTAL(MIN(1, MAX(0, value)))
  FROM valued WHERE true GROUP BY visitorId, metric HAVING COUNT(value) > 0
  ON CONFLICT (visitorId, version, site, metric) DO UPDATE SET n = excluded.n, y = excluded.y`;

/**
 * Counts the values of some visitors who have new ones.
 * @returns how many visitors; repeat while it is not 0
 */
export async function countValues(
  db: SiteDatabase,
  { version, plan }: StoredRelease,
): Promise<number> {
  const [, counted] = await db.batch([
    db.prepare(COUNT).bind(version, JSON.stringify(plan.metrics)),
    db
      .prepare(
        `UPDATE releaseVisitors SET state = 'counted'
         WHERE +site = ?site AND version = ?1 AND visitorId IN (SELECT visitorId FROM (${STALE}))
         RETURNING 1`,
      )
      .bind(version),
  ]);
  return counted?.results.length ?? 0;
}

/** Requests of the arms in one stage, at most ten of each visitor. */
type ArmRequests = { readonly candidate: number; readonly stable: number };

/** Requests by stage until the present one. */
export async function releaseRequests(
  db: SiteDatabase,
  { version, stage }: StoredRelease,
): Promise<ArmRequests[]> {
  const { results } = await db
    .prepare("SELECT stage, arm, requests FROM releaseArms WHERE site = ?site AND version = ?1")
    .bind(version)
    .all<{ stage: number; arm: keyof ArmRequests; requests: number }>();
  const of = (index: number, arm: keyof ArmRequests): number =>
    results.find((row) => row.stage === index && row.arm === arm)?.requests ?? 0;
  return Array.from({ length: stage + 1 }, (_, index) => ({
    candidate: of(index, "candidate"),
    stable: of(index, "stable"),
  }));
}

type SumsRow = ArmSums & {
  readonly stage: number;
  readonly arm: keyof StageSums;
  readonly metric: string;
};

/** What the rule decides from. */
export async function releaseCounts(
  db: SiteDatabase,
  release: StoredRelease,
): Promise<ReleaseCounts> {
  const requests = await releaseRequests(db, release);
  const { results } = await db
    .prepare(
      `SELECT stage, arm, metric, visitors, "values", total, squaredValues, products, squaredTotals
       FROM releaseSums WHERE site = ?site AND version = ?1`,
    )
    .bind(release.version)
    .all<SumsRow>();
  const { rule, metrics } = release.plan;
  const sumsOf = (stage: number, metric: string): StageSums => {
    const of = (arm: keyof StageSums): ArmSums => {
      const row = results.find(
        (one) => one.stage === stage && one.metric === metric && one.arm === arm,
      );
      return row === undefined ? EMPTY_ARM : withoutRounding(row);
    };
    return { candidate: of("candidate"), stable: of("stable") };
  };
  return {
    requests: requests.reduce((sum, arms) => sum + arms.candidate + arms.stable, 0),
    stages: requests.map(({ candidate }, stage) => ({
      share: rule.stages[stage]?.share ?? 0,
      exposure: candidate,
      metrics: Object.fromEntries(metrics.map(({ name }) => [name, sumsOf(stage, name)])),
    })),
  };
}

/** Sums are changed by differences, so rounding can leave a tiny negative number in place of 0. */
function withoutRounding({ total, products, squaredTotals, ...row }: SumsRow): ArmSums {
  const { visitors, values, squaredValues } = row;
  const positive = (sum: number): number => (sum < 0 && sum > -1e-6 ? 0 : sum);
  return {
    visitors,
    values,
    total: positive(total),
    squaredValues,
    products: positive(products),
    squaredTotals: positive(squaredTotals),
  };
}

/**
 * Deletes rows of visitors whose release has ended. The sums stay.
 * @param before - the version of the running release; a later one if there is none
 * @returns how many visitors; repeat while it is not 0
 */
export async function deleteEnded(db: SiteDatabase, before: number): Promise<number> {
  const { results } = await db
    .prepare(
      `DELETE FROM releaseVisitors WHERE rowid IN
         (SELECT v.rowid FROM releaseVisitors v
          WHERE v.site = ?site AND v.version < ?1 LIMIT ${DELETED})
       RETURNING 1`,
    )
    .bind(before)
    .all();
  return results.length;
}
