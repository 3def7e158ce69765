/**
 * Dead letters. They wait for an operator, so that a repair leaves them. It deletes one whose trajectory is gone or was
 * learned from after all.
 */
import type { SiteDatabase } from "../sites/site-database.ts";
import { type CheckedPage, nextAfter, type PageRequest } from "./checked-page.ts";

const PAGE = 200;

type Letter = { readonly digest: string; readonly reason: string; readonly status: string | null };

/** Compares a page of letters with their rows. */
export async function checkLetters(
  db: SiteDatabase,
  { after, repair }: PageRequest,
): Promise<CheckedPage> {
  const { results } = await db
    .prepare(
      `SELECT d.digest, d.reason, t.status
       FROM deadLetters d LEFT JOIN trajectories t ON t.site = d.site AND t.digest = d.digest
       WHERE +d.site = ?site AND d.digest > ?1 ORDER BY d.digest LIMIT ?2`,
    )
    .bind(after, PAGE)
    .all<Letter>();
  const isObsolete = ({ status }: Letter): boolean => status !== "rejected";
  const obsolete = results.filter(isObsolete).map(({ digest }) => digest);
  if (repair && obsolete.length > 0) {
    await db
      .prepare(
        `DELETE FROM deadLetters WHERE +site = ?site
           AND digest IN (SELECT value FROM json_each(?1))`,
      )
      .bind(JSON.stringify(obsolete))
      .run();
  }
  return {
    checked: results.length,
    found: results.map((letter) => ({
      kind: isObsolete(letter) ? "letter-without-row" : "dead-letter",
      name: letter.digest,
      detail: isObsolete(letter)
        ? `its trajectory is ${letter.status ?? "gone"}`
        : `reason ${letter.reason}`,
      repaired: repair && isObsolete(letter),
    })),
    next: nextAfter(results.length, PAGE, results.at(-1)?.digest),
  };
}
