/**
 * Puts a request and its retry into one group, so that one lease has both. Both are a visitor's own requests, of the same
 * visitor, with consent to training and to feedback, and neither is leased or settled. A request whose retry never arrives is
 * not ready: without the answer after it, a retry makes no pair.
 */
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

/** Most requests of a group: a visitor who goes on trying makes no larger one. */
const MOST_REQUESTS = 8;

/** Looks for links before a join is given up because others joined the same groups meanwhile. */
const MOST_LOOKS = 3;

/** Two groups and their numbers of requests. */
type Link = {
  readonly into: string;
  readonly moved: string;
  readonly intoSize: number;
  readonly movedSize: number;
};

/**
 * Rows of two groups that are linked by a retry, with one of these ids. A visitor's row has at most one link in each direction.
 * `ready` rows have consent to training. Rows of the previous release have no scopes, and their consent covers feedback.
 */
const linksBy = (one: "a" | "b", ofOne: string, other: "a" | "b", ofOther: string) => `
  SELECT a.groupId AS "into", b.groupId AS moved, f.receivedAt AS at, f.id AS feedbackId,
    g.uploads AS intoSize, h.uploads AS movedSize
  FROM json_each(?1) AS ids
    CROSS JOIN trajectories ${one} ON ${one}.id = ids.value AND ${one}.site = ?site
    CROSS JOIN feedback f ON f.${ofOne} = ${one}.id AND f.visitorId = ${one}.visitorId AND f.site = ?site
    CROSS JOIN trajectories ${other} ON ${other}.id = f.${ofOther} AND ${other}.site = ?site
    CROSS JOIN taskGroups g ON g.id = a.groupId AND g.site = ?site
    CROSS JOIN taskGroups h ON h.id = b.groupId AND h.site = ?site
  WHERE f.retryId IS NOT NULL AND +a.visitorId = +b.visitorId
    AND g.id <> h.id AND g.state = 'open' AND h.state = 'open'
    AND +a.assignmentId IS NULL AND +b.assignmentId IS NULL
    AND +a.status = 'ready' AND +b.status = 'ready'
    AND COALESCE(a.consentScopes, 'feedback') LIKE '%feedback%'
    AND COALESCE(b.consentScopes, 'feedback') LIKE '%feedback%'`;

const LINKS = `${linksBy("a", "trajectoryId", "b", "retryId")} UNION
  ${linksBy("b", "retryId", "a", "trajectoryId")} ORDER BY at, feedbackId`;

/** Both groups are open and have room. */
const CAN_JOIN = `
  EXISTS (SELECT 1 FROM taskGroups g JOIN taskGroups h ON h.site = g.site AND h.id = ?2
          WHERE g.site = ?site AND g.id = ?1 AND g.state = 'open' AND h.state = 'open'
            AND g.environment IS NULL AND h.environment IS NULL
            AND g.uploads + h.uploads <= ${MOST_REQUESTS})`;

/**
 * Joins these requests with those that retried them, and with those that they retried. The group is ready, and can be leased
 * once its newest request is old enough. That leaves the visitor time to say that the newest answer was no better.
 */
export async function joinRetries(
  db: SiteDatabase,
  trajectoryIds: readonly string[],
  {
    FEEDBACK_FROM: from,
    FEEDBACK_WAIT_SECONDS: waitSeconds,
  }: Pick<Settings, "FEEDBACK_FROM" | "FEEDBACK_WAIT_SECONDS">,
): Promise<void> {
  if (!from.includes("retry") || waitSeconds === 0 || trajectoryIds.length === 0) return;
  // A page's feedback and its records are placed at the same time, and groups that moved meanwhile have other ids.
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const { results } = await db.prepare(LINKS).bind(JSON.stringify(trajectoryIds)).all<Link>();
    const joins = plannedJoins(results);
    if (joins.length === 0) return;
    const answers = await db.batch(
      joins.flatMap(([into, moved]) => join(db, into, moved, waitSeconds * 1000)),
    );
    const isDone = joins.every((_, i) => (answers[STATEMENTS * i]?.meta.changes ?? 0) > 0);
    if (isDone) return;
  }
}

/** The groups to join, in this order. */
function plannedJoins(links: readonly Link[]): [into: string, moved: string][] {
  const joins: [string, string][] = [];
  const sizes = new Map(
    links.flatMap(({ into, moved, intoSize, movedSize }) => [
      [into, intoSize],
      [moved, movedSize],
    ]),
  );
  // A group that was joined has another id in the links after it.
  const joined = new Map<string, string>();
  const nowOf = (group: string): string => {
    const next = joined.get(group);
    return next === undefined ? group : nowOf(next);
  };
  for (const link of links) {
    const [into, moved] = [nowOf(link.into), nowOf(link.moved)];
    const size = (sizes.get(into) ?? 0) + (sizes.get(moved) ?? 0);
    if (into === moved || size > MOST_REQUESTS) continue;
    joins.push([into, moved]);
    joined.set(moved, into);
    sizes.set(into, size);
  }
  return joins;
}

/** Statements of one join. */
const STATEMENTS = 3;

/** The first statement moves the rows. Nothing happens if a trainer has leased one of the groups meanwhile. */
function join(
  db: SiteDatabase,
  into: string,
  moved: string,
  waitMs: number,
): D1PreparedStatement[] {
  return [
    // A trigger counts the rows of both groups and makes the one that has them ready.
    db
      .prepare(
        `UPDATE trajectories SET groupId = ?1
         WHERE +site = ?site AND groupId = ?2 AND +status = 'ready' AND ${CAN_JOIN}`,
      )
      .bind(into, moved),
    // Room for one more, so that only its deadline makes it complete.
    db
      .prepare(
        `UPDATE taskGroups SET assigned = uploads, capacity = uploads + 1,
           deadlineAt = MAX(deadlineAt, ?3 + (SELECT MAX(t.receivedAt) FROM trajectories t
                                              WHERE t.site = ?site AND t.groupId = ?1))
         WHERE site = ?site AND id = ?1 AND state = 'open'
           AND (SELECT h.uploads FROM taskGroups h WHERE h.site = ?site AND h.id = ?2) = 0`,
      )
      .bind(into, moved, waitMs),
    db.prepare("DELETE FROM taskGroups WHERE site = ?site AND id = ?1 AND uploads = 0").bind(moved),
  ];
}
