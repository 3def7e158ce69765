/**
 * Outcomes in D1. The key of a value is trajectory, turn, metric and sender, and a later value replaces an earlier one, so a
 * repeated request counts nothing twice. An outcome may arrive before its trajectory: triggers join the two. Only
 * visitors' own requests have outcomes; practice has none. An outcome of a conversation is stored once, with links from the
 * earlier requests.
 */
import {
  type LeasedOutcome,
  type OutcomesResponse,
  type SiteMetrics,
  type StoredOutcome,
  WaggleError,
} from "@waggle/protocol";
import { endWaiting, type TeachingFeedback } from "../awaited-feedback.ts";
import { isNew, leaseAgain, receivedAt } from "../leases/late-feedback.ts";
import { forgottenName, forgottenRefusal, isForgotten } from "../forgotten-store.ts";
import type { Settings } from "../settings.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import type { CheckedOutcome } from "./outcome-check.ts";

type OutcomeResult = OutcomesResponse["results"][number];

/** The sender of outcomes of the site's own server. A page's sender is its visitor's id. */
export const SERVER = "";

/** Outcomes that one visitor's pages may have stored. */
const MOST_OF_VISITOR = 5000;

const INSERT = `
  INSERT INTO outcomes
    (site, id, trajectoryId, metric, sender, visitorId, type, value, occurredAt, receivedAt, turn)
  SELECT ?site, o.value ->> 'id', o.value ->> 'trajectoryId', o.value ->> 'metric', ?2,
    (SELECT t.visitorId FROM trajectories t
     WHERE t.id = o.value ->> 'trajectoryId' AND t.site = ?site AND t.assignmentId IS NULL
       AND ?2 IN ('', t.visitorId)),
    o.value ->> 'type', o.value ->> 'value', o.value ->> 'occurredAt',
    ${receivedAt("?3", "o.value ->> 'trajectoryId'")},
    o.value ->> 'turn'
  FROM json_each(?1) AS o
  WHERE NOT EXISTS (SELECT 1 FROM outcomes n
      WHERE n.id = o.value ->> 'id' AND n.sender = ?2 AND n.site = ?site)
    AND NOT EXISTS (SELECT 1 FROM forgottenVisitors WHERE site = ?site AND visitor = ?4)
    AND (?2 = '' OR (SELECT COUNT(*) FROM (SELECT 1 FROM outcomes
           WHERE sender = ?2 AND site = ?site LIMIT ${MOST_OF_VISITOR})) < ${MOST_OF_VISITOR})
  ON CONFLICT (trajectoryId, metric, sender, turn, site) DO UPDATE SET id = excluded.id, type = excluded.type,
    value = excluded.value, occurredAt = excluded.occurredAt, receivedAt = excluded.receivedAt
    WHERE excluded.occurredAt > outcomes.occurredAt
  RETURNING id`;

/**
 * Links of the outcomes that are stored. Only their own sender's outcomes follow them. The first link of each place stays, so
 * that an outcome that is sent again with others adds none.
 */
const LINK = `
  INSERT INTO conversationLinks (site, trajectoryId, outcomeOf, sender, place)
  SELECT ?site, l.value, o.value ->> 'trajectoryId', ?2, l.key + 1
  FROM json_each(?1) AS o, json_each(o.value, '$.conversation') AS l
  WHERE l.value <> o.value ->> 'trajectoryId'
    AND EXISTS (SELECT 1 FROM outcomes n
      WHERE n.id = o.value ->> 'id' AND n.sender = ?2 AND n.site = ?site
        AND n.trajectoryId = o.value ->> 'trajectoryId')
  ON CONFLICT DO NOTHING`;

/** Compares with what is stored. Numbers are compared here, because they were read from JSON here. */
const COMPARE = `
  SELECT
    (SELECT n.trajectoryId = o.value ->> 'trajectoryId' AND n.metric = o.value ->> 'metric'
         AND n.type = o.value ->> 'type' AND n.value = o.value ->> 'value'
         AND n.turn = o.value ->> 'turn'
     FROM outcomes n WHERE n.id = o.value ->> 'id' AND n.sender = ?2 AND n.site = ?site) AS isSame,
    EXISTS (SELECT 1 FROM outcomes k WHERE k.trajectoryId = o.value ->> 'trajectoryId'
        AND k.metric = o.value ->> 'metric' AND k.sender = ?2 AND k.turn = o.value ->> 'turn'
        AND k.site = ?site) AS hasValue
  FROM json_each(?1) AS o ORDER BY o.key`;

/** `isSame`: of the outcome with this id; `null` if there is none. */
type Comparison = { readonly isSame: number | null; readonly hasValue: number };

/**
 * Stores the outcomes of one sender. A request that waited for feedback can then be leased.
 * @param teaching what ends the waiting
 * @returns one result per outcome, in their order
 */
export async function storeOutcomes(
  db: SiteDatabase,
  sender: string,
  outcomes: readonly CheckedOutcome[],
  teaching: TeachingFeedback & Pick<Settings, "CONSENT_DAYS">,
  now: number,
): Promise<OutcomeResult[]> {
  const visitor = await forgottenName(sender);
  const results = new Map<CheckedOutcome, OutcomeResult>();
  let rest = outcomes;
  while (rest.length > 0) {
    const part = distinct(rest);
    const json = JSON.stringify(part);
    const ids = part.flatMap(({ trajectoryId, conversation }) => [trajectoryId, ...conversation]);
    const [inserted] = await db.batch<{ id: string }>([
      db.prepare(INSERT).bind(json, sender, now, visitor),
      db.prepare(LINK).bind(json, sender),
      ...endWaiting(db, ids, teaching),
      leaseAgain(db, "id", ids, teaching, now),
    ]);
    const stored = new Set(inserted?.results.map(({ id }) => id));
    const others = part.filter(({ id }) => !stored.has(id));
    const refused = await comparedWithStored(db, sender, others);
    for (const one of part) results.set(one, refused.get(one) ?? { id: one.id, status: "stored" });
    rest = rest.filter((one) => !results.has(one));
  }
  return outcomes.flatMap((one) => results.get(one) ?? []);
}

/** The first outcome with each id and each key, because one statement can store a row only once. */
function distinct(outcomes: readonly CheckedOutcome[]): readonly CheckedOutcome[] {
  const taken = new Set<string>();
  return outcomes.filter(({ id, trajectoryId, metric, turn }) => {
    const key = `${trajectoryId} ${metric} ${turn}`;
    if (taken.has(id) || taken.has(key)) return false;
    taken.add(id).add(key);
    return true;
  });
}

/** Results of outcomes that the insertion left out. */
async function comparedWithStored(
  db: SiteDatabase,
  sender: string,
  outcomes: readonly CheckedOutcome[],
): Promise<ReadonlyMap<CheckedOutcome, OutcomeResult>> {
  if (outcomes.length === 0) return new Map();
  const compared = await db
    .prepare(COMPARE)
    .bind(JSON.stringify(outcomes), sender)
    .all<Comparison>();
  const isGone = sender !== SERVER && (await isForgotten(db, sender));
  const pairs = outcomes.map((one, i): [CheckedOutcome, OutcomeResult] => {
    const { id } = one;
    const { isSame, hasValue } = compared.results[i] ?? { isSame: null, hasValue: 0 };
    if (isSame === 1) return [one, { id, status: "duplicate" }];
    const { code, message } = isGone ? forgottenRefusal() : refusalOf(isSame, hasValue);
    return [one, { id, status: "refused", code, message }];
  });
  return new Map(pairs);
}

function refusalOf(isSame: Comparison["isSame"], hasValue: number): WaggleError {
  if (isSame !== null) {
    return new WaggleError("REPLAYED", "this outcome id is already taken; use a new id");
  }
  return new WaggleError(
    "CONFLICT",
    hasValue === 1
      ? "a value of this metric with the same or a later time is stored for this trajectory"
      : `this visitor has ${MOST_OF_VISITOR} outcomes, the most there can be`,
  );
}

type Row = Omit<CheckedOutcome, "type" | "conversation"> & {
  readonly type: string;
  readonly sender: string;
};

const COLUMNS = "id, trajectoryId, metric, type, value, sender, occurredAt, turn";

/** Outcomes of a stored trajectory, by metric. */
export async function outcomesOf(db: SiteDatabase, trajectoryId: string): Promise<StoredOutcome[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM outcomes
       WHERE trajectoryId = ?1 AND site = ?site AND visitorId IS NOT NULL ORDER BY metric, sender, turn`,
    )
    .bind(trajectoryId)
    .all<Row>();
  return results.map(shown);
}

/** Of the leased trajectories, with the outcomes of later requests that name them as earlier ones of the conversation. */
const OF_LEASE = `
  SELECT o.id, o.trajectoryId, o.metric, o.type, o.value, o.sender, o.occurredAt, o.turn, 0 AS place
  FROM trajectories t
    CROSS JOIN outcomes o ON o.trajectoryId = t.id AND o.site = t.site
  WHERE t.site = ?site AND t.leaseId = ?1 AND t.status = 'leased' AND o.visitorId IS NOT NULL AND ${isNew("o")}
  UNION ALL
  SELECT o.id, l.trajectoryId, o.metric, o.type, o.value, o.sender, o.occurredAt, o.turn, l.place
  FROM trajectories t
    CROSS JOIN conversationLinks l ON l.trajectoryId = t.id AND l.site = t.site
    CROSS JOIN outcomes o ON o.trajectoryId = l.outcomeOf AND o.sender = l.sender AND +o.site = l.site
  WHERE t.site = ?site AND t.leaseId = ?1 AND t.status = 'leased' AND o.sender IN ('', t.visitorId)
    AND ${isNew("o")}
  ORDER BY metric, sender, turn, occurredAt DESC, place`;

/**
 * Outcomes of leased trajectories by trajectory id, if they fit a declared metric. Of several outcomes of one conversation,
 * the latest counts.
 */
export async function outcomesOfLease(
  db: SiteDatabase,
  leaseId: string,
  metrics: SiteMetrics,
): Promise<Map<string, LeasedOutcome[]>> {
  const { results } = await db
    .prepare(OF_LEASE)
    .bind(leaseId)
    .all<Row & { readonly place: number }>();
  const taken = new Set<string>();
  const leased = results.flatMap((row) => {
    const declared = Object.hasOwn(metrics, row.metric) ? metrics[row.metric] : undefined;
    if (declared?.type !== row.type) return [];
    const { level = "trajectory" } = declared;
    // The level may have changed since the outcome was stored.
    if ((level === "turn") !== row.turn > 0) return [];
    if (level !== "conversation" && row.place > 0) return [];
    const { trajectoryId, metric, value, source, turn } = shown(row);
    const key = `${trajectoryId} ${metric} ${source} ${turn}`;
    if (taken.has(key)) return [];
    taken.add(key);
    const about = {
      ...(turn === undefined ? {} : { turn }),
      ...(row.place === 0 ? {} : { place: row.place }),
    };
    return [{ trajectoryId, outcome: { metric, value, source, declared, ...about } }];
  });
  const byTrajectory = Map.groupBy(leased, ({ trajectoryId }) => trajectoryId);
  return new Map([...byTrajectory].map(([id, found]) => [id, found.map(({ outcome }) => outcome)]));
}

/** Outcomes of a visitor's trajectories and of their pages, page by page. @param after - an id */
export async function outcomesOfVisitor(
  db: SiteDatabase,
  visitorId: string,
  after: string,
  limit: number,
): Promise<StoredOutcome[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM outcomes
       WHERE (visitorId = ?1 AND site = ?site AND id > ?2) OR (sender = ?1 AND site = ?site AND id > ?2)
       ORDER BY id LIMIT ?3`,
    )
    .bind(visitorId, after, limit)
    .all<Row>();
  return results.map(shown);
}

function shown(row: Row): StoredOutcome {
  const { id, trajectoryId, metric, type, value, sender, occurredAt, turn } = row;
  return {
    id,
    trajectoryId,
    metric,
    ...(turn === 0 ? {} : { turn }),
    value: type === "boolean" ? value === 1 : value,
    at: new Date(occurredAt).toISOString(),
    source: sender === SERVER ? "server" : "page",
  };
}

/** Deletes outcomes that were received before `before` and whose trajectory has not arrived. */
export async function deleteUnjoined(db: SiteDatabase, before: number): Promise<void> {
  await db
    .prepare("DELETE FROM outcomes WHERE site = ?site AND visitorId IS NULL AND receivedAt < ?1")
    .bind(before)
    .run();
}

/** When the oldest outcome without a trajectory was received; `null` if there is none. */
export async function oldestUnjoinedAt(db: SiteDatabase): Promise<number | null> {
  return db
    .prepare(
      `SELECT receivedAt FROM outcomes WHERE site = ?site AND visitorId IS NULL
       ORDER BY receivedAt LIMIT 1`,
    )
    .bind()
    .first<number>("receivedAt");
}
