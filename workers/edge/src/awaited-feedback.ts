/**
 * Live requests that wait for feedback before a trainer leases them. The group of such a request is not ready until it has
 * feedback that the site's trainer learns from; then it can be leased as soon as the request is old enough. A request
 * without any is never leased: no answer is not a bad answer. Retention deletes it.
 */
import {
  type Feedback,
  MESSAGE_REWARDS,
  type MessageKind,
  type OperatorSummary,
} from "@waggle/protocol";
import type { Settings } from "./settings.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

/** What the site's trainer learns from. */
export type TeachingFeedback = Pick<Settings, "FEEDBACK_FROM" | "METRICS">;

/**
 * Trajectory `t` has feedback of its visitor of one of the kinds in the second parameter, a joined outcome of one of its
 * metrics, one of its conversation, or an answer of the staff if the parameter says that it teaches. Here and below, `+` keeps
 * SQLite from an index on columns that many rows share.
 * @param after - SQL of a time; feedback and outcomes that were received until then do not count
 */
export const hasFeedback = (after: string): string => `(EXISTS (
    SELECT 1 FROM feedback f
    WHERE f.site = ?site AND f.trajectoryId = t.id AND +f.visitorId = t.visitorId AND f.receivedAt > ${after}
      AND f.kind IN (SELECT value FROM json_each(?2, '$.kinds')))
  OR EXISTS (
    SELECT 1 FROM outcomes o JOIN json_each(?2, '$.metrics') AS m ON m.key = o.metric AND m.value = o.type
    WHERE o.site = ?site AND o.trajectoryId = t.id AND o.visitorId IS NOT NULL AND o.receivedAt > ${after})
  OR EXISTS (
    SELECT 1 FROM conversationLinks l
      CROSS JOIN outcomes o ON o.trajectoryId = l.outcomeOf AND o.sender = l.sender AND +o.site = l.site
      JOIN json_each(?2, '$.conversations') AS m ON m.key = o.metric AND m.value = o.type
    WHERE l.site = ?site AND l.trajectoryId = t.id AND o.sender IN ('', t.visitorId) AND o.receivedAt > ${after})
  OR (?2 ->> 'staff' AND EXISTS (
    SELECT 1 FROM staffNotes n
    WHERE +n.site = ?site AND n.digest = t.digest AND n.kind = 'answer')))`;

/** At any time. */
const HAS_FEEDBACK = hasFeedback("-1");

/**
 * The kinds that teach, and the types of the metrics that do, by name, as JSON. A metric with the weight 0 teaches nothing.
 * A retry makes its request ready together with the answer after it; see `joinRetries`.
 */
export function parameter(
  { FEEDBACK_FROM: from, METRICS }: TeachingFeedback,
  more: readonly Feedback["kind"][] = [],
): string {
  const weighted = Object.entries(METRICS).filter(([, { weight }]) => weight !== 0);
  const read = from.includes("outcome") ? weighted : [];
  const ofConversations = read.filter(([, { level }]) => level === "conversation");
  const typesOf = (metrics: typeof read) =>
    Object.fromEntries(metrics.map(([name, { type }]) => [name, type]));
  return JSON.stringify({
    kinds: [...kindsFrom(from), ...more],
    metrics: typesOf(read),
    conversations: typesOf(ofConversations),
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
 * Without staff: what they write says nothing about which visitors give feedback. A retry is feedback, also where it teaches
 * nothing without the answer after it.
 */
function ofVisitors(teaching: TeachingFeedback): string {
  const { FEEDBACK_FROM: from, METRICS } = teaching;
  return parameter(
    { FEEDBACK_FROM: from.filter((source) => source !== "staff"), METRICS },
    from.includes("retry") ? ["retry"] : [],
  );
}

/**
 * What is known of the request of trajectory `t` before it was answered: whether its visitor gave feedback on earlier
 * requests, and what runs the model. None of it depends on the answer.
 */
const STRATUM = `CASE
    WHEN EXISTS (SELECT 1 FROM responses r
      WHERE r.visitorId = t.visitorId AND r.site = ?site AND r.answered = 1) THEN 'answered'
    WHEN EXISTS (SELECT 1 FROM responses r
      WHERE r.visitorId = t.visitorId AND r.site = ?site) THEN 'silent'
    ELSE 'new' END || ' ' || COALESCE(t.backend, 'unknown')`;

/**
 * Makes the new group of a live request wait. It gets room for a second trajectory, so that only its deadline makes it
 * complete, and is not ready unless the feedback came first. The request counts among those that may get feedback, if its
 * visitor agreed to feedback.
 */
export function awaitFeedback(
  db: SiteDatabase,
  groupId: string,
  teaching: TeachingFeedback,
  waitMs: number,
): D1PreparedStatement[] {
  const wanted = parameter(teaching);
  return [
    db
      .prepare(
        `UPDATE taskGroups SET capacity = 2, deadlineAt = t.receivedAt + ?3,
           readyAt = CASE WHEN ${HAS_FEEDBACK} THEN t.receivedAt END
         FROM trajectories t
         WHERE taskGroups.site = ?site AND taskGroups.id = ?1 AND t.site = ?site AND t.groupId = ?1`,
      )
      .bind(groupId, wanted, waitMs),
    db
      .prepare(
        `INSERT INTO responses (site, trajectoryId, visitorId, stratum, answered)
         SELECT ?site, t.id, t.visitorId, ${STRATUM}, ${HAS_FEEDBACK}
         FROM trajectories t WHERE t.site = ?site AND t.groupId = ?1
           AND (t.consentScopes IS NULL OR t.consentScopes LIKE '%feedback%')
         ON CONFLICT DO NOTHING`,
      )
      .bind(groupId, ofVisitors(teaching)),
  ];
}

/** Makes the groups of live requests ready, if these trajectories are some that wait for feedback. */
export function endWaiting(
  db: SiteDatabase,
  trajectoryIds: readonly string[],
  teaching: TeachingFeedback,
): D1PreparedStatement[] {
  const ids = JSON.stringify(trajectoryIds);
  return [
    db
      .prepare(
        `UPDATE taskGroups SET readyAt = t.receivedAt
         FROM trajectories t
         WHERE t.site = ?site AND t.id IN (SELECT value FROM json_each(?1)) AND +t.status = 'ready'
           AND taskGroups.site = ?site AND taskGroups.id = t.groupId AND taskGroups.environment IS NULL
           AND taskGroups.readyAt IS NULL AND ${HAS_FEEDBACK}`,
      )
      .bind(ids, parameter(teaching)),
    db
      .prepare(
        `UPDATE responses SET answered = 1
         FROM trajectories t
         WHERE responses.site = ?site AND responses.answered = 0
           AND responses.trajectoryId IN (SELECT value FROM json_each(?1))
           AND t.site = ?site AND t.id = responses.trajectoryId AND ${HAS_FEEDBACK}`,
      )
      .bind(ids, ofVisitors(teaching)),
  ];
}

type Counts = NonNullable<OperatorSummary["responses"]>["byStratum"][number];

/** Of each stratum with requests. */
export async function responsesByStratum(db: SiteDatabase): Promise<Counts[]> {
  const { results } = await db
    .prepare(
      `SELECT a.key AS stratum, a.count AS requests, COALESCE(r.count, 0) AS answered
       FROM tallies a LEFT JOIN tallies r ON r.site = a.site AND r.name = 'replied' AND r.key = a.key
       WHERE a.site = ?site AND a.name = 'asked' AND a.count > 0 ORDER BY a.key`,
    )
    .bind()
    .all<Counts>();
  return results;
}
