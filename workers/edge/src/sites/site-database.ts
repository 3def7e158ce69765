/**
 * The rows of one site. Every table has a column `site`, and code outside `sites/` gets no other database than this
 * one, which refuses a statement that does not name its site.
 */

/** The part of the database that belongs to one site. */
export type SiteDatabase = {
  readonly site: string;
  /** Prepares a statement; `?site` in it stands for the site. */
  readonly prepare: (sql: string) => {
    readonly bind: (...values: readonly unknown[]) => D1PreparedStatement;
  };
  readonly batch: <T>(statements: D1PreparedStatement[]) => Promise<D1Result<T>[]>;
};

const PLACEHOLDER = /\?site\b/g;

/** @throws Error in `prepare` for a statement without `?site`, which would read or write rows of every site */
export function siteDatabase(db: D1Database, site: string): SiteDatabase {
  return {
    site,
    prepare: (sql) => {
      if (!sql.includes("?site")) throw new Error(`a statement does not name its site: ${sql}`);
      return {
        bind: (...values) =>
          db.prepare(sql.replaceAll(PLACEHOLDER, `?${values.length + 1}`)).bind(...values, site),
      };
    },
    batch: (statements) => db.batch(statements),
  };
}
