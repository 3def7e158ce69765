/** Reads a table of a site page by page, and trajectories with their objects. */
import {
  type BackupResponse,
  type BackupRow,
  type BackupTable,
  boundary,
  sha256,
  UPLOAD_LIMITS,
  WaggleError,
} from "@waggle/protocol";
import { z } from "zod";
import type { SiteStores } from "../endpoint.ts";
import { TABLE_KEYS } from "./table-keys.ts";

const PAGE = 100;
/** Bytes of objects in one page; the first object always fits. */
const PAGE_BYTES = UPLOAD_LIMITS.bodyBytes;

type Row = BackupRow["row"];
const Cursor = z.array(z.union([z.string(), z.number()]));

/** @throws WaggleError `SCHEMA_INVALID` */
function valuesIn(cursor: string, count: number): (string | number)[] {
  let value: unknown = null;
  try {
    value = JSON.parse(cursor);
  } catch {
    // Refused below.
  }
  const parsed = Cursor.length(count).safeParse(value);
  if (parsed.success) return parsed.data;
  throw new WaggleError("SCHEMA_INVALID", "the cursor is not the nextCursor of a page before");
}

/** One page of a table. @param cursor - `nextCursor` of the page before */
export async function readTable(
  stores: SiteStores,
  table: BackupTable,
  cursor: string | undefined,
): Promise<BackupResponse> {
  const { keys, isBySite } = TABLE_KEYS[table];
  const after = cursor === undefined ? [] : valuesIn(cursor, keys.length);
  const names = keys.join(", ");
  const from =
    after.length === 0 ? "" : `AND (${names}) > (${after.map((_, i) => `?${i + 1}`).join(", ")})`;
  const { results } = await stores.DB.prepare(
    `SELECT * FROM ${table} WHERE ${isBySite ? "" : "+"}site = ?site ${from}
     ORDER BY ${names} LIMIT ${PAGE}`,
  )
    .bind(...after)
    .all<Row>();
  const fitting = table === "trajectories" ? results.slice(0, fits(results)) : results;
  const rows = await Promise.all(
    fitting.map(async (stored): Promise<BackupRow> => {
      const { site: _site, ...row } = stored;
      if (table !== "trajectories") return { row };
      return { row, object: await objectOf(stores, row) };
    }),
  );
  const last = fitting.at(-1);
  const isLast = last === undefined || (fitting.length === results.length && results.length < PAGE);
  return { rows, nextCursor: isLast ? null : JSON.stringify(keys.map((key) => last[key])) };
}

/** How many of these trajectories fit into one page. */
function fits(rows: readonly Row[]): number {
  let bytes = 0;
  const surplus = rows.findIndex((row, index) => {
    bytes += Number(row["sizeBytes"]);
    return index > 0 && bytes > PAGE_BYTES;
  });
  return surplus === -1 ? rows.length : surplus;
}

/** The canonical JSON; `null` if the object is missing or does not have the row's digest. */
async function objectOf({ OBJECTS }: SiteStores, row: Row): Promise<string | null> {
  const object = await boundary("storage", () => OBJECTS.get(String(row["objectKey"])));
  if (object === null) return null;
  const bytes = new Uint8Array(await boundary("storage", () => object.arrayBuffer()));
  return (await sha256(bytes)) === row["digest"] ? new TextDecoder().decode(bytes) : null;
}
