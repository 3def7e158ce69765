/**
 * Rows of trajectories whose object is missing. A repair rejects those that wait for a lease and writes a dead letter for
 * each, as a lease would do. Others cannot be repaired, and their rows still say which steps learned from them. A rejected
 * row has no object if an operator deleted its dead letter.
 */
import { buryWaiting } from "../dead-letter-store.ts";
import type { SiteStores } from "../endpoint.ts";
import { type CheckedPage, nextAfter, type PageRequest } from "./checked-page.ts";

/** Each row costs a request to R2. */
const PAGE = 100;

type Row = { readonly digest: string; readonly objectKey: string; readonly status: string };

/** Compares a page of rows with their objects. */
export async function checkRows(
  { DB, OBJECTS }: SiteStores,
  { after, repair, now }: PageRequest,
): Promise<CheckedPage> {
  const { results } = await DB.prepare(
    `SELECT digest, objectKey, status FROM trajectories
     WHERE +site = ?site AND digest > ?1 AND +status != 'rejected' ORDER BY digest LIMIT ?2`,
  )
    .bind(after, PAGE)
    .all<Row>();
  const heads = await Promise.all(results.map(({ objectKey }) => OBJECTS.head(objectKey)));
  const suspects = results.filter((_, index) => heads[index] === null);
  const missing = suspects.length === 0 ? [] : await stillStored(DB, suspects);
  const waiting = missing.filter(isWaiting).map(({ digest }) => digest);
  if (repair && waiting.length > 0) {
    await DB.batch(buryWaiting(DB, waiting, "object-missing", now));
  }
  return {
    checked: results.length,
    found: missing.map((row) => ({
      kind: "row-without-object",
      name: row.digest,
      detail: `status ${row.status}`,
      repaired: repair && isWaiting(row),
    })),
    next: nextAfter(results.length, PAGE, results.at(-1)?.digest),
  };
}

const isWaiting = ({ status }: Row): boolean => status === "stored" || status === "ready";

/** The rows that were not deleted meanwhile: retention deletes an object before its row. */
async function stillStored(DB: SiteStores["DB"], rows: readonly Row[]): Promise<Row[]> {
  const { results } = await DB.prepare(
    `SELECT digest, objectKey, status FROM trajectories
     WHERE +site = ?site AND +status != 'rejected'
       AND digest IN (SELECT value FROM json_each(?1)) ORDER BY digest`,
  )
    .bind(JSON.stringify(rows.map(({ digest }) => digest)))
    .all<Row>();
  return results;
}
