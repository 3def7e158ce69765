/** Trajectory objects in R2 that no row names. A repair deletes them. */
import type { SiteStores } from "../endpoint.ts";
import { nameInSite } from "../sites/site-name.ts";
import { type CheckedPage, GRACE_MS, type PageRequest } from "./checked-page.ts";

const PAGE = 500;

/** Compares a page of objects with their rows. */
export async function checkObjects(
  { DB, OBJECTS }: SiteStores,
  { after, repair, now }: PageRequest,
): Promise<CheckedPage> {
  const prefix = nameInSite(DB.site, "trajectories/");
  const listed = await OBJECTS.list({
    prefix,
    limit: PAGE,
    ...(after === "" ? {} : { startAfter: after }),
  });
  const keys = listed.objects
    .filter(({ uploaded }) => uploaded.getTime() <= now - GRACE_MS)
    .map(({ key }) => key);
  const digests = keys.map((key) => /\/([^/]*)\.json$/.exec(key)?.[1] ?? "");
  // Asked after the listing, so that a row that was written meanwhile counts.
  const { results } = await DB.prepare(
    `SELECT objectKey FROM trajectories
     WHERE +site = ?site AND digest IN (SELECT value FROM json_each(?1))`,
  )
    .bind(JSON.stringify(digests))
    .all<{ objectKey: string }>();
  const named = new Set(results.map(({ objectKey }) => objectKey));
  const unnamed = keys.filter((key) => !named.has(key));
  if (repair && unnamed.length > 0) await OBJECTS.delete(unnamed);
  return {
    checked: listed.objects.length,
    found: unnamed.map((name) => ({
      kind: "object-without-row",
      name,
      detail: "no trajectory has this object",
      repaired: repair,
    })),
    next: listed.truncated ? (listed.objects.at(-1)?.key ?? null) : null,
  };
}
