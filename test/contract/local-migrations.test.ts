/** The database of a new local installation, which gets every migration at once, against one migration after the other. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { MIGRATIONS } from "../../packages/dev/src/stack/worker-project.ts";
import { DEMO } from "../fixtures/demo.ts";

const folder = mkdtempSync(join(tmpdir(), "waggle-migrations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const names = readdirSync(MIGRATIONS).toSorted();

/** Tables, indexes and triggers by name, with one space where the file has several. */
function schemaOf(database: DatabaseSync): Record<string, string> {
  const rows = database
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
    )
    .all() as { name: string; sql: string }[];
  const own = rows.filter(({ name }) => !/^(d1_migrations|sqlite_sequence)$/.test(name));
  return Object.fromEntries(own.map(({ name, sql }) => [name, sql.replaceAll(/\s+/g, " ")]));
}

function openStored(): DatabaseSync {
  const stored = join(folder, "edge", "v3", "d1", "miniflare-D1DatabaseObject");
  const file = readdirSync(stored).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return new DatabaseSync(join(stored, file ?? "none"), { readOnly: true });
}

test("a new installation has the tables of all migrations, and its second start applies none again", async () => {
  const installation = openInstallation(folder, true);
  await migrate(installation, DEMO);
  const stored = openStored();
  const oneByOne = new DatabaseSync(":memory:");
  for (const name of names) oneByOne.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  expect(schemaOf(stored)).toEqual(schemaOf(oneByOne));
  expect(Object.keys(schemaOf(stored))).toContain("consents");
  const applied = (): unknown[] =>
    stored
      .prepare("SELECT name FROM d1_migrations ORDER BY id")
      .all()
      .map(({ name }) => name);
  expect(applied()).toEqual(names);

  // Wrangler's own `migrations apply` finds nothing pending either.
  const marker = join(folder, "migrated");
  const { mtimeMs } = statSync(marker);
  await migrate(installation, DEMO);
  expect(statSync(marker).mtimeMs).toBe(mtimeMs);
  rmSync(marker);
  await migrate(installation, DEMO);
  expect(applied()).toEqual(names);
}, 60_000);
