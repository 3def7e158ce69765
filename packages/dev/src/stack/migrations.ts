/** The tables of a local installation's D1, made by Wrangler from the migrations of the edge. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprint, once } from "../processes/fingerprint.ts";
import { type RunOptions, runToEnd } from "../processes/programs.ts";
import type { Site } from "../site/site.ts";
import { edgeStorage, wranglerProgram } from "./edge-process.ts";
import type { Installation } from "./installation.ts";
import { MIGRATIONS, writeWorkerProject } from "./worker-project.ts";

/** Where `wrangler d1 migrations` keeps what was applied, with the statement of Wrangler 4. */
const APPLIED = `CREATE TABLE d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
);`;

/** Every migration as one file, which also records them as applied. It is for a database without tables. */
function allMigrations(): string {
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  return [
    APPLIED,
    ...names
      .toSorted()
      .flatMap((name) => [
        readFileSync(join(MIGRATIONS, name), "utf8"),
        `INSERT INTO d1_migrations (name) VALUES ('${name}');`,
      ]),
  ].join("\n");
}

/**
 * Applies pending migrations to the installation's local D1.
 *
 * Wrangler starts workerd again for each migration, which takes about 0.8 s. A new database gets all of them at once,
 * in one transaction.
 *
 * @param onStart - called if there are pending migrations
 */
export async function migrate(
  installation: Installation,
  site: Site,
  onStart?: () => void,
): Promise<void> {
  const storage = edgeStorage(installation);
  const worker = join(installation.folder, "worker");
  const marker = join(installation.folder, "migrated");
  const config = writeWorkerProject(worker, [site]);
  const isNew = !existsSync(storage);
  if (isNew) rmSync(marker, { force: true });
  const d1 = (...args: readonly string[]): Promise<void> =>
    runD1("migrations", args, { installation, site, config });
  await once(marker, fingerprint(MIGRATIONS, ["*.sql"]), async () => {
    onStart?.();
    if (!isNew) return d1("migrations", "apply", "DB");
    const file = join(worker, "migrations.sql");
    writeFileSync(file, allMigrations());
    return d1("execute", "DB", "--yes", "--file", file);
  });
}

/**
 * The rows of a query of the installation's local D1.
 *
 * @param sql - a statement of Waggle's own: it is not escaped
 */
export async function rowsOf(
  installation: Installation,
  site: Site,
  sql: string,
): Promise<readonly unknown[]> {
  const config = writeWorkerProject(join(installation.folder, "worker"), [site]);
  const lines: string[] = [];
  const args = ["execute", "DB", "--json", "--command", sql];
  const onOutput = (line: string): void => void lines.push(line);
  await runD1("query", args, { installation, site, config }, { onOutput });
  const [result] = JSON.parse(lines.join("\n")) as readonly { readonly results: unknown[] }[];
  return result?.results ?? [];
}

/** Runs `wrangler d1` with the installation's database. */
function runD1(
  name: string,
  args: readonly string[],
  of: { readonly installation: Installation; readonly site: Site; readonly config: string },
  options?: RunOptions,
): Promise<void> {
  const program = [wranglerProgram(of.site.project), "d1", ...args];
  const database = ["--local", "--persist-to", edgeStorage(of.installation)];
  return runToEnd(name, [...program, ...database, "--config", of.config], options);
}
