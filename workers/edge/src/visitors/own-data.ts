/**
 * What a visitor's own page can read of the stored data: what its pages sent, in pages of JSON lines. The edge's and the
 * trainer's judgment is left out, because it would tell an attacker which forgeries pass, and so are notes of staff. Operators
 * can export these too.
 */
import type { VisitorExportLine } from "@waggle/protocol";
import type { SiteStores } from "../endpoint.ts";
import { type ExportCursor, exportPage, jsonLines } from "./visitor-export.ts";

type Counts = {
  readonly trajectories: number;
  readonly feedback: number;
  readonly outcomes: number;
};

async function countsOf({ DB }: SiteStores, visitorId: string): Promise<Counts | null> {
  return DB.prepare(
    `SELECT
       (SELECT COUNT(*) FROM trajectories WHERE +site = ?site AND visitorId = ?1) AS trajectories,
       (SELECT COUNT(*) FROM feedback WHERE site = ?site AND visitorId = ?1) AS feedback,
       (SELECT COUNT(*) FROM outcomes WHERE +site = ?site AND visitorId = ?1) AS outcomes`,
  )
    .bind(visitorId)
    .first<Counts>();
}

/** The visitor's part of a line; `null` for none. */
function ownPart(line: VisitorExportLine): object | null {
  if (["dead-letter", "staff-note", "end"].includes(line.kind)) return null;
  if (line.kind === "visitor") {
    const { kind, visitorId, exportedAt } = line;
    return { kind, visitorId, exportedAt };
  }
  if (line.kind !== "trajectory") return line;
  const { digest, receivedAt } = line.row;
  return { kind: line.kind, digest, receivedAt, trajectory: line.trajectory };
}

async function* ownLines(
  stores: SiteStores,
  visitorId: string,
  cursor: ExportCursor,
  now: number,
): AsyncGenerator<object, void> {
  const page = exportPage({ stores, visitorId, now }, cursor);
  for (;;) {
    const { value, done } = await page.next();
    if (done === true) {
      yield value === null
        ? { kind: "end" }
        : { kind: "next", after: `${value.part}.${value.after}` };
      return;
    }
    const own = ownPart(value);
    if (own === null) continue;
    yield value.kind === "visitor" ? { ...own, ...(await countsOf(stores, visitorId)) } : own;
  }
}

/** One page. Its last line is `next`, with the cursor of the next page, or `end`. */
export function ownData(
  stores: SiteStores,
  visitorId: string,
  cursor: ExportCursor,
  now: number,
): ReadableStream {
  return jsonLines(ownLines(stores, visitorId, cursor, now));
}
