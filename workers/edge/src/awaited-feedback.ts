/**
 * Live requests that wait for feedback before a trainer leases them. The group of such a request is not ready until it has
 * feedback that the site's trainer learns from; then it can be leased as soon as the request is old enough. A request
 * without any is never leased: no answer is not a bad answer. Retention deletes it.
 */
import { type Feedback, MESSAGE_REWARDS, type MessageKind } from "@waggle/protocol";
import type { Settings } from "./settings.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

/** What the site's trainer learns from. */
export type TeachingFeedback = Pick<Settings, "FEEDBACK_FROM" | "METRICS">;

/**
 * Trajectory `t` has feedback of its visitor of one of the kinds in the second parameter, a joined outcome of one of its
 * metrics, or an answer of the staff if the parameter says that it teaches. Here and below, `+` keeps SQLite from an index on columns that many rows share.
 */
const HAS_FEEDBACK = `(EXISTS (
    SELECT 1 FROM feedback f
    WHERE f.site = ?site AND f.trajectoryId = t.id AND +f.visitorId = t.visitorId
      AND f.kind IN (SELECT value FROM json_each(?2, '$.kinds')))
  OR EXISTS (
    SELECT 1 FROM outcomes o JOIN json_each(?2, '$.metrics') AS m ON m.key = o.metric AND m.value = o.type
    WHERE o.site = ?site AND o.trajectoryId = t.id AND o.visitorId IS NOT NULL)
  OR (?2 ->> 'staff' AND EXISTS (
    SELECT 1 FROM staffNotes n
    WHERE +n.site = ?site AND n.digest = t.digest AND n.kind = 'answer')))`;

/** The kinds that teach, and the types of the metrics that do, by name, as JSON. A metric with the weight 0 teaches nothing. */
function parameter({ FEEDBACK_FROM: from, METRICS }: TeachingFeedback): string {
  const weighted = Object.entries(METRICS).filter(([, { weight }]) => weight !== 0);
  const metrics = Object.fromEntries(weighted.map(([name, { type }]) => [name, type]));
  return JSON.stringify({
    kinds: kindsFrom(from),
    metrics: from.includes("outcome") ? metrics : {},
    staff: from.includes("staff"),
  });
}

/** The kinds of feedback that the sources mean. */
function kindsFrom(from: TeachingFeedback["FEEDBACK_FROM"]): Feedback["kind"][] {
  const thumbs: Feedback["kind"][] = from.includes("thumb") ? ["thumb-up", "thumb-down"] : [];
  const messages = from.includes("message") ? (Object.keys(MESSAGE_REWARDS) as MessageKind[]) : [];
  const judged = from.includes("judge") ? (["next-message"] as const) : [];
  const single = (["undo", "edit"] as const).filter((kind) => from.includes(kind));
  return [...thumbs, ...messages, ...judged, ...single];
}

/**
 * Makes the new group of a live request wait. It gets room for a second trajectory, so that only its deadline makes it
 * complete, and is not ready unless the feedback came first.
 */
export function awaitFeedback(
  db: SiteDatabase,
  groupId: string,
  teaching: TeachingFeedback,
  waitMs: number,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE taskGroups SET capacity = 2, deadlineAt = t.receivedAt + ?3,
         readyAt = CASE WHEN ${HAS_FEEDBACK} THEN t.receivedAt END
       FROM trajectories t
       WHERE taskGroups.site = ?site AND taskGroups.id = ?1 AND t.site = ?site AND t.groupId = ?1`,
    )
    .bind(groupId, parameter(teaching), waitMs);
}

/** Makes the groups of live requests ready, if these trajectories are some that wait for feedback. */
export function endWaiting(
  db: SiteDatabase,
  trajectoryIds: readonly string[],
  teaching: TeachingFeedback,
): D1PreparedStatement {
  return db
    .prepare(
      `UPDATE taskGroups SET readyAt = t.receivedAt
       FROM trajectories t
       WHERE t.site = ?site AND t.id IN (SELECT value FROM json_each(?1)) AND +t.status = 'ready'
         AND taskGroups.site = ?site AND taskGroups.id = t.groupId AND taskGroups.environment IS NULL
         AND taskGroups.readyAt IS NULL AND ${HAS_FEEDBACK}`,
    )
    .bind(JSON.stringify(trajectoryIds), parameter(teaching));
}
