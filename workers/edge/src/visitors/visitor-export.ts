/** All stored data of one visitor as JSON lines, read page by page so that any amount fits. */
import type { VisitorExportLine } from "@waggle/protocol";
import { type FeedbackRow, toFeedback } from "./feedback-row.ts";
import { isForgotten } from "../forgotten-store.ts";
import type { SiteStores } from "../endpoint.ts";
import { outcomesOfVisitor } from "../outcomes/outcome-store.ts";
import { rowsOfVisitor } from "../trajectory-rows.ts";
import { receiptsOf } from "./consent-receipts.ts";
import { countUnusedSeeds } from "./request-seeds.ts";
import { evidenceOf } from "./reputation-store.ts";

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

/** Whose data is read, and when. */
type Asked = { readonly stores: SiteStores; readonly visitorId: string; readonly now: number };

/** Yields the lines of one page after an id. @returns the last id, or `null` if there are no more. */
type Part = (asked: Asked, after: string) => AsyncGenerator<VisitorExportLine, string | null>;

/** The id to read on from; `null` after the last page. */
const lastOf = (ids: readonly string[]): string | null =>
  ids.length < PAGE ? null : (ids.at(-1) ?? null);

/** One page of a table by id, for this visitor. */
async function pageOf<Row extends { id: string }>(
  { stores, visitorId }: Asked,
  select: string,
  after: string,
): Promise<Row[]> {
  const { results } = await stores.DB.prepare(
    `${select} WHERE site = ?site AND visitorId = ?1 AND id > ?2 ORDER BY id LIMIT ?3`,
  )
    .bind(visitorId, after, PAGE)
    .all<Row>();
  return results;
}

const timeOf = (ms: number): string => new Date(ms).toISOString();

const PARTS = {
  async *visitor({ stores: { DB }, visitorId, now }) {
    yield {
      kind: "visitor",
      visitorId,
      exportedAt: timeOf(now),
      forgotten: await isForgotten(DB, visitorId),
      unusedSeeds: await countUnusedSeeds(DB, visitorId),
      reputation: await evidenceOf(DB, visitorId),
    };
    const { results } = await DB.prepare(
      `SELECT consentVersion AS version, COUNT(*) AS trajectories FROM trajectories
       WHERE +site = ?site AND visitorId = ?1 GROUP BY consentVersion`,
    )
      .bind(visitorId)
      .all<{ version: string | null; trajectories: number }>();
    for (const consent of results) yield { kind: "consent", ...consent };
    for (const one of await receiptsOf(DB, visitorId)) yield { kind: "receipt", ...one };
    return null;
  },

  async *trajectory({ stores: { DB, OBJECTS }, visitorId }, after) {
    const rows = await rowsOfVisitor(DB, visitorId, after, PAGE);
    for (const { row, objectKey } of rows) {
      yield { kind: "trajectory", row, trajectory: await storedJson(OBJECTS, objectKey) };
    }
    return lastOf(rows.map(({ row }) => row.digest));
  },

  async *letter(asked, after) {
    const select = "SELECT digest AS id, reason, failedLeases, diedAt FROM deadLetters";
    type Letter = { id: string; reason: string; failedLeases: number; diedAt: number };
    const letters = await pageOf<Letter>(asked, select, after);
    for (const { id, diedAt, ...why } of letters) {
      yield { kind: "dead-letter", digest: id, ...why, diedAt: timeOf(diedAt) };
    }
    return lastOf(letters.map(({ id }) => id));
  },

  async *feedback(asked, after) {
    const select = "SELECT id, trajectoryId, kind, text, retryId, at FROM feedback";
    const rows = await pageOf<FeedbackRow>(asked, select, after);
    for (const row of rows) yield { kind: "feedback", feedback: toFeedback(row) };
    return lastOf(rows.map(({ id }) => id));
  },

  async *outcome({ stores, visitorId }, after) {
    const outcomes = await outcomesOfVisitor(stores.DB, visitorId, after, PAGE);
    for (const outcome of outcomes) yield { kind: "outcome", outcome };
    return lastOf(outcomes.map(({ id }) => id));
  },

  async *note(asked, after) {
    const select = "SELECT id, digest, kind, text, at FROM staffNotes";
    type Note = {
      id: string;
      digest: string;
      kind: "answer" | "comment";
      text: string;
      at: number;
    };
    const rows = await pageOf<Note>(asked, select, after);
    for (const { digest, at, ...note } of rows) {
      yield { kind: "staff-note", digest, note: { ...note, at: timeOf(at) } };
    }
    return lastOf(rows.map(({ id }) => id));
  },

  async *assignment(asked, after) {
    const select = "SELECT id, groupId, createdAt, reward FROM assignments";
    type Assignment = { id: string; groupId: string; createdAt: number; reward: number | null };
    const rows = await pageOf<Assignment>(asked, select, after);
    for (const { id, groupId, createdAt, reward } of rows) {
      const rewarded = reward === null ? {} : { reward };
      yield {
        kind: "assignment",
        assignmentId: id,
        groupId,
        createdAt: timeOf(createdAt),
        ...rewarded,
      };
    }
    return lastOf(rows.map(({ id }) => id));
  },
} satisfies { readonly [name: string]: Part };

type PartName = keyof typeof PARTS;
const NAMES = Object.keys(PARTS) as PartName[];

/** Where a page begins: a part, and the last id before it. */
export type ExportCursor = { readonly part: PartName; readonly after: string };

/** The first page, which has no trajectories. */
export const FIRST_PAGE: ExportCursor = { part: "visitor", after: "" };

/** Reads a cursor such as `feedback.3f0e…`; `null` if it is none. */
export function parseCursor(text: string): ExportCursor | null {
  const [, name = "", after = ""] = /^([a-z]+)\.([0-9a-f-]{0,64})$/.exec(text) ?? [];
  const part = NAMES.find((one) => one === name);
  return part === undefined ? null : { part, after };
}

/** Yields the lines of one page. @returns the next page; `null` after the last one */
export async function* exportPage(
  asked: Asked,
  { part, after }: ExportCursor,
): AsyncGenerator<VisitorExportLine, ExportCursor | null> {
  const last = yield* (PARTS[part] as Part)(asked, after);
  if (last !== null) return { part, after: last };
  const next = NAMES[NAMES.indexOf(part) + 1];
  return next === undefined ? null : { part: next, after: "" };
}

async function* allPages(asked: Asked): AsyncGenerator<VisitorExportLine> {
  let cursor: ExportCursor | null = FIRST_PAGE;
  while (cursor !== null) cursor = yield* exportPage(asked, cursor);
}

/** One JSON value per line. The last line counts the others, so that a truncated response is recognizable. */
export function exportVisitor(stores: SiteStores, visitorId: string, now: number): ReadableStream {
  return jsonLines(withCount(allPages({ stores, visitorId, now })));
}

async function* withCount(
  lines: AsyncIterable<VisitorExportLine>,
): AsyncGenerator<VisitorExportLine> {
  let count = 0;
  for await (const line of lines) {
    count += 1;
    yield line;
  }
  yield { kind: "end", lines: count };
}

/** One JSON value per line, read as it is sent. */
export function jsonLines(values: AsyncGenerator<unknown, void>): ReadableStream {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await values.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    },
  });
}
