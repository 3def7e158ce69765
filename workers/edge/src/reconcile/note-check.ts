/** Notes of staff. A repair deletes one whose trajectory is gone, as the deletion of a trajectory does. */
import type { SiteDatabase } from "../sites/site-database.ts";
import { type CheckedPage, nextAfter, type PageRequest } from "./checked-page.ts";

const PAGE = 200;

/** Compares a page of notes with their rows. */
export async function checkNotes(
  db: SiteDatabase,
  { after, repair }: PageRequest,
): Promise<CheckedPage> {
  const { results } = await db
    .prepare(
      `SELECT n.id, n.digest, t.digest IS NULL AS isLost
       FROM staffNotes n LEFT JOIN trajectories t ON t.site = n.site AND t.digest = n.digest
       WHERE +n.site = ?site AND n.id > ?1 ORDER BY n.id LIMIT ?2`,
    )
    .bind(after, PAGE)
    .all<{ id: string; digest: string; isLost: number }>();
  const lost = results.filter(({ isLost }) => isLost === 1);
  if (repair && lost.length > 0) {
    await db
      .prepare(
        `DELETE FROM staffNotes WHERE +site = ?site AND id IN (SELECT value FROM json_each(?1))`,
      )
      .bind(JSON.stringify(lost.map(({ id }) => id)))
      .run();
  }
  return {
    checked: results.length,
    found: lost.map(({ id, digest }) => ({
      kind: "note-without-row",
      name: id,
      detail: `trajectory ${digest.slice(0, 16)} is gone`,
      repaired: repair,
    })),
    next: nextAfter(results.length, PAGE, results.at(-1)?.id),
  };
}
