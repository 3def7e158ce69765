/** All stored data of one visitor as JSON lines, read page by page so that any amount fits. */
import type { VisitorExportLine } from "@waggle/protocol";
import { type FeedbackRow, toFeedback } from "./feedback-row.ts";
import { isForgotten } from "../forgotten-store.ts";
import type { SiteStores } from "../endpoint.ts";
import { outcomesOfVisitor } from "../outcomes/outcome-store.ts";
import { rowsOfVisitor } from "../trajectory-rows.ts";
import { countUnusedSeeds } from "./request-seeds.ts";
import { evidenceOf } from "./reputation-store.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

const PAGE = 50;

/** The stored JSON; `null` if the object is missing or damaged. */
async function storedJson(bucket: R2Bucket, key: string): Promise<unknown> {
  const object = await bucket.get(key);
  if (object === null) return null;
  try {
    return await object.json();
  } catch {
    return null;
  }
}

async function* trajectoryLines(
  { DB, OBJECTS }: SiteStores,
  visitorId: string,
): AsyncGenerator<VisitorExportLine> {
  let after = "";
  for (;;) {
    const rows = await rowsOfVisitor(DB, visitorId, after, PAGE);
    for (const { row, objectKey } of rows) {
      yield { kind: "trajectory", row, trajectory: await storedJson(OBJECTS, objectKey) };
    }
    const last = rows.at(-1);
    if (rows.length < PAGE || last === undefined) return;
    after = last.row.digest;
  }
}

async function* outcomeLines(
  db: SiteDatabase,
  visitorId: string,
): AsyncGenerator<VisitorExportLine> {
  let after = "";
  for (;;) {
    const outcomes = await outcomesOfVisitor(db, visitorId, after, PAGE);
    for (const outcome of outcomes) yield { kind: "outcome", outcome };
    const last = outcomes.at(-1);
    if (outcomes.length < PAGE || last === undefined) return;
    after = last.id;
  }
}

/** Pages through a table by id, for this visitor. */
async function* pages<Row extends { id: string }>(
  db: SiteDatabase,
  select: string,
  visitorId: string,
): AsyncGenerator<Row> {
  let after = "";
  for (;;) {
    const { results } = await db
      .prepare(`${select} WHERE site = ?site AND visitorId = ?1 AND id > ?2 ORDER BY id LIMIT ?3`)
      .bind(visitorId, after, PAGE)
      .all<Row>();
    yield* results;
    const last = results.at(-1);
    if (results.length < PAGE || last === undefined) return;
    after = last.id;
  }
}

async function* exportLines(
  stores: SiteStores,
  visitorId: string,
  now: number,
): AsyncGenerator<VisitorExportLine> {
  const { DB } = stores;
  yield {
    kind: "visitor",
    visitorId,
    exportedAt: new Date(now).toISOString(),
    forgotten: await isForgotten(DB, visitorId),
    unusedSeeds: await countUnusedSeeds(DB, visitorId),
    reputation: await evidenceOf(DB, visitorId),
  };
  const consents = await DB.prepare(
    `SELECT consentVersion AS version, COUNT(*) AS trajectories FROM trajectories
     WHERE +site = ?site AND visitorId = ?1 GROUP BY consentVersion`,
  )
    .bind(visitorId)
    .all<{ version: string | null; trajectories: number }>();
  for (const consent of consents.results) yield { kind: "consent", ...consent };
  yield* trajectoryLines(stores, visitorId);
  const letters = "SELECT digest AS id, reason, failedLeases, diedAt FROM deadLetters";
  type Letter = { id: string; reason: string; failedLeases: number; diedAt: number };
  for await (const { id, diedAt, ...why } of pages<Letter>(DB, letters, visitorId)) {
    yield { kind: "dead-letter", digest: id, ...why, diedAt: new Date(diedAt).toISOString() };
  }
  const feedback = "SELECT id, trajectoryId, kind, text, at FROM feedback";
  for await (const row of pages<FeedbackRow>(DB, feedback, visitorId)) {
    yield { kind: "feedback", feedback: toFeedback(row) };
  }
  yield* outcomeLines(DB, visitorId);
  const notes = "SELECT id, digest, kind, text, at FROM staffNotes";
  type Note = { id: string; digest: string; kind: "answer" | "comment"; text: string; at: number };
  for await (const { digest, at, ...note } of pages<Note>(DB, notes, visitorId)) {
    yield { kind: "staff-note", digest, note: { ...note, at: new Date(at).toISOString() } };
  }
  const assignments = "SELECT id, groupId, createdAt FROM assignments";
  type Assignment = { id: string; groupId: string; createdAt: number };
  for await (const { id, groupId, createdAt } of pages<Assignment>(DB, assignments, visitorId)) {
    const at = new Date(createdAt).toISOString();
    yield { kind: "assignment", assignmentId: id, groupId, createdAt: at };
  }
}

/** One JSON value per line. The last line counts the others, so that a truncated response is recognizable. */
export function exportVisitor(stores: SiteStores, visitorId: string, now: number): ReadableStream {
  const lines = exportLines(stores, visitorId, now);
  const encoder = new TextEncoder();
  let count = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await lines.next();
      const line: VisitorExportLine = done ? { kind: "end", lines: count } : value;
      count += 1;
      controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      if (done) controller.close();
    },
  });
}
