/**
 * Stores the rows of a backup in a site. Rows that the site has are left as they are, so that a request can be repeated and
 * a restore never overwrites. Rows of visitors who were forgotten are not stored.
 */
import {
  type BackupRow,
  type BackupTable,
  type RestoreResponse,
  sha256,
  WaggleError,
} from "@waggle/protocol";
import type { SiteStores } from "../endpoint.ts";
import { forgottenName } from "../forgotten-store.ts";
import { trajectoryKey } from "../object-store.ts";
import type { SiteDatabase } from "../sites/site-database.ts";

/** Rows in the JSON parameter of one statement, which D1 limits to 2 MB. */
const ROWS_PER_STATEMENT = 20;
/** Columns that name a visitor. */
const VISITORS = ["visitorId", "sender", "holder"];

type Row = BackupRow["row"];

/** @throws WaggleError `SCHEMA_INVALID` for rows that do not fit the table, `DIGEST_MISMATCH` for a changed object */
export async function restoreRows(
  stores: SiteStores,
  table: BackupTable,
  rows: readonly BackupRow[],
): Promise<RestoreResponse> {
  const forgotten = await forgottenAmong(stores.DB, rows);
  const kept = rows.filter(({ row }) =>
    VISITORS.every((column) => !forgotten.has(String(row[column]))),
  );
  const [first] = kept;
  if (first === undefined) return { stored: 0, forgotten: rows.length };
  const known = new Set(await columnsOf(stores.DB, table));
  const columns = Object.keys(first.row).filter(
    (column) => table !== "auditLog" || column !== "id",
  );
  const isAlike = kept.every(
    ({ row }) =>
      Object.keys(row).length === Object.keys(first.row).length &&
      Object.keys(row).every((column) => column in first.row),
  );
  if (!isAlike || columns.some((column) => !known.has(column) || column === "site")) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `the rows do not have the columns of the table ${table}; restore with the release that made the backup`,
    );
  }
  // Objects first, because a row makes its trajectory visible.
  if (table === "trajectories") await Promise.all(kept.map((each) => putObject(stores, each)));
  const ready = kept.map(({ row }) => adapted(stores.DB.site, table, row));
  const statements: D1PreparedStatement[] = [];
  for (let at = 0; at < ready.length; at += ROWS_PER_STATEMENT) {
    const part = JSON.stringify(ready.slice(at, at + ROWS_PER_STATEMENT));
    statements.push(stores.DB.prepare(insertion(table, columns)).bind(part));
  }
  const results = await inserted(stores.DB, table, statements);
  const stored = results.reduce((sum, result) => sum + result.results.length, 0);
  return { stored, forgotten: rows.length - kept.length };
}

/** Ids among these rows whose visitors were forgotten. */
async function forgottenAmong(
  db: SiteDatabase,
  rows: readonly BackupRow[],
): Promise<ReadonlySet<string>> {
  const ids = new Set(
    rows.flatMap(({ row }) =>
      VISITORS.map((column) => row[column]).filter((id) => typeof id === "string" && id !== ""),
    ),
  );
  const named = new Map<string, string>();
  for (const id of ids) named.set(await forgottenName(String(id)), String(id));
  const { results } = await db
    .prepare(
      `SELECT visitor FROM forgottenVisitors
       WHERE +site = ?site AND visitor IN (SELECT value FROM json_each(?1))`,
    )
    .bind(JSON.stringify([...named.keys()]))
    .all<{ visitor: string }>();
  return new Set(results.map(({ visitor }) => named.get(visitor) ?? ""));
}

async function columnsOf(db: SiteDatabase, table: BackupTable): Promise<string[]> {
  const { results } = await db
    .prepare("SELECT name FROM pragma_table_info(?1) WHERE ?site IS NOT NULL")
    .bind(table)
    .all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** @throws WaggleError `DIGEST_MISMATCH` */
async function putObject({ DB, OBJECTS }: SiteStores, { row, object }: BackupRow): Promise<void> {
  if (object == null) return;
  const bytes = new TextEncoder().encode(object);
  const digest = String(row["digest"]);
  if ((await sha256(bytes)) !== digest) {
    throw new WaggleError(
      "DIGEST_MISMATCH",
      `the object of trajectory ${digest.slice(0, 16)} does not have its digest; the backup was changed`,
    );
  }
  await OBJECTS.put(trajectoryKey(DB.site, String(row["visitorId"]), digest), bytes, {
    httpMetadata: { contentType: "application/json" },
  });
}

/** The row as it is stored. Triggers count the trajectories of a group again. */
function adapted(site: string, table: BackupTable, row: Row): Row {
  if (table === "taskGroups") return { ...row, uploads: 0, readyAt: null };
  if (table !== "trajectories") return row;
  const key = trajectoryKey(site, String(row["visitorId"]), String(row["digest"]));
  return { ...row, objectKey: key };
}

/** @param columns - names of columns of the table */
function insertion(table: BackupTable, columns: readonly string[]): string {
  const names = columns.map((column) => `"${column}"`);
  const values = columns.map((column) => `r.value ->> '${column}'`);
  // The log gives new numbers, so that an entry is recognized by its content.
  const where =
    table === "auditLog"
      ? `NOT EXISTS (SELECT 1 FROM auditLog a WHERE a.site = ?site AND ${columns
          .map((column) => `a."${column}" IS r.value ->> '${column}'`)
          .join(" AND ")})`
      : "true";
  // A new site has counters. They must not fall behind what the backup has counted.
  const onConflict =
    table === "counters"
      ? "(site, name) DO UPDATE SET value = MAX(value, excluded.value)"
      : "DO NOTHING";
  return `INSERT INTO ${table} (site, ${names.join(", ")})
    SELECT ?site, ${values.join(", ")} FROM json_each(?1) AS r WHERE ${where}
    ON CONFLICT ${onConflict} RETURNING 1`;
}

/** @throws WaggleError `SCHEMA_INVALID` for a value that the table does not take */
async function inserted(
  db: SiteDatabase,
  table: BackupTable,
  statements: D1PreparedStatement[],
): Promise<D1Result<unknown>[]> {
  try {
    return await db.batch(statements);
  } catch (error) {
    if (!(error instanceof Error && error.message.includes("constraint failed"))) throw error;
    throw new WaggleError(
      "SCHEMA_INVALID",
      `a row has a value that the table ${table} does not take; restore with the release that made the backup`,
      { cause: error },
    );
  }
}
