/** The database of a new local installation, which gets every migration at once, against one migration after the other. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { MIGRATIONS } from "../../packages/dev/src/stack/worker-project.ts";
import { DEMO } from "../fixtures/demo.ts";
import { isLong } from "../fixtures/long.ts";

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

/** Rows of the tables that migrations fill. */
function seededRows(database: DatabaseSync): unknown[] {
  return ["counters", "tallies", "versionTallies"].flatMap((table) =>
    database.prepare(`SELECT '${table}' AS "table", * FROM ${table}`).all(),
  );
}

function openStored(folder: string): DatabaseSync {
  const stored = join(folder, "edge", "v3", "d1", "miniflare-D1DatabaseObject");
  const file = readdirSync(stored).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return new DatabaseSync(join(stored, file ?? "none"), { readOnly: true });
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "waggle-migrations-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const appliedIn = (database: DatabaseSync): unknown[] =>
  database
    .prepare("SELECT name FROM d1_migrations ORDER BY id")
    .all()
    .map(({ name }) => name);

test("a new installation has the tables of all migrations, and a second start applies none again", async () => {
  const folder = newFolder();
  const installation = openInstallation(folder, true);
  let announced = 0;
  const onStart = (): void => void (announced += 1);
  await migrate(installation, DEMO, onStart);
  const stored = openStored(folder);
  const oneByOne = new DatabaseSync(":memory:");
  for (const name of names) oneByOne.exec(readFileSync(join(MIGRATIONS, name), "utf8"));
  expect(schemaOf(stored)).toEqual(schemaOf(oneByOne));
  expect(Object.keys(schemaOf(stored))).toContain("consents");
  expect(seededRows(stored)).toEqual(seededRows(oneByOne));
  expect(appliedIn(stored)).toEqual(names);

  const marker = join(folder, "migrated");
  const { mtimeMs } = statSync(marker);
  await migrate(installation, DEMO, onStart);
  expect(statSync(marker).mtimeMs).toBe(mtimeMs);
  expect(announced).toBe(1);
}, 120_000);

// A start of Wrangler takes seconds.
test.runIf(isLong())(
  "Wrangler finds no migration pending, and a database that was deleted is made again",
  async () => {
    const folder = newFolder();
    const installation = openInstallation(folder, true);
    await migrate(installation, DEMO);
    // Wrangler's own `migrations apply` finds nothing pending either.
    rmSync(join(folder, "migrated"));
    await migrate(installation, DEMO);
    expect(appliedIn(openStored(folder))).toEqual(names);

    // If the edge's data is deleted, the next start makes the tables again.
    rmSync(join(folder, "edge"), { recursive: true });
    await migrate(installation, DEMO);
    expect(appliedIn(openStored(folder))).toEqual(names);
  },
  120_000,
);

// One migration after the other takes half a minute.
test.runIf(isLong())(
  "a start that was killed before the first migration applies all of them",
  async () => {
    const folder = newFolder();
    const installation = openInstallation(folder, true);
    mkdirSync(join(folder, "edge"), { recursive: true });
    await migrate(installation, DEMO);
    expect(appliedIn(openStored(folder))).toEqual(names);
  },
  180_000,
);
