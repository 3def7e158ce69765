/** An installation of the release before there were sites: migration 10 keeps every row, and old rows go on. */
import { applyD1Migrations, reset } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { bindings } from "../testing/edge.ts";

const { DB, MIGRATIONS } = bindings;
const BEFORE = MIGRATIONS.filter(({ name }) => name < "0010");
const WITH_SITES = MIGRATIONS.filter(({ name }) => name < "0011");

type Row = { readonly [column: string]: unknown };

async function tables(): Promise<string[]> {
  const { results } = await DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'
       AND name NOT LIKE 'd1%' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name`,
  ).all<{ name: string }>();
  return results.map(({ name }) => name);
}

/** One row for each column's type, so that a column that is lost or swapped is noticed. */
async function fill(name: string): Promise<void> {
  const { results: columns } = await DB.prepare(`PRAGMA table_info("${name}")`).all<{
    name: string;
    type: string;
  }>();
  const fixed: { readonly [column: string]: unknown } = {
    slot: 1,
    state: name === "leases" ? "lost" : "open",
    status: name === "policies" ? "canary" : "learned",
  };
  const values = columns.map(({ name: column, type }, i) => {
    if (name === "switches" && column === "name") return "freeze";
    return fixed[column] ?? (type === "TEXT" ? `${name}.${column}` : 1000 + i);
  });
  const places = values.map((_, i) => `?${i + 1}`).join(", ");
  await DB.prepare(`INSERT OR REPLACE INTO "${name}" VALUES (${places})`)
    .bind(...values)
    .run();
}

/** Whether two rows have the same columns with the same values, in any order. */
function sameColumns(a: Row, b: Row): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}

beforeEach(async () => {
  await reset();
  await applyD1Migrations(DB, BEFORE);
});

test("every row of every table is there, with the site `default` and the same values in each column", async () => {
  const names = await tables();
  for (const name of names) await fill(name);
  const read = async (name: string) =>
    (await DB.prepare(`SELECT * FROM "${name}" ORDER BY 1, 2`).all<Row>()).results;
  const before = new Map<string, Row[]>();
  for (const name of names) before.set(name, await read(name));
  await applyD1Migrations(DB, WITH_SITES);
  expect(names.length).toBeGreaterThan(20);
  const kept = async (name: string) => {
    const rows = await read(name);
    const { slot: _, ...first } = before.get(name)?.[0] ?? {};
    const isThere = rows.some((row) => sameColumns(row, { site: "default", ...first }));
    return { name, isThere, rows: rows.length };
  };
  expect(await Promise.all(names.map(kept))).toEqual(
    names.map((name) => ({ name, isThere: true, rows: before.get(name)?.length })),
  );
});

test("counters go on from where they were, and the log's ids too", async () => {
  await DB.batch([
    DB.prepare(
      `INSERT INTO trajectories (digest, id, visitorId, policyVersion, tokens, stopReason, objectKey,
         sizeBytes, receivedAt, status) VALUES ('d', 'i', 'v', 0, 2, 'completed', 'k', 9, 1, 'stored')`,
    ),
    DB.prepare("INSERT INTO auditLog (at, actor, action, reason) VALUES (1, 'a', 'freeze', '')"),
  ]);
  await applyD1Migrations(DB, MIGRATIONS);
  await DB.prepare("UPDATE trajectories SET status = 'learned'").run();
  const { results } = await DB.prepare(
    "SELECT key, count FROM tallies WHERE site = 'default' AND name = 'status' ORDER BY key",
  ).all();
  expect(results).toEqual([
    { key: "learned", count: 1 },
    { key: "stored", count: 0 },
  ]);
  await DB.prepare(
    "INSERT INTO auditLog (site, at, actor, action, reason) VALUES ('default', 2, 'b', 'unfreeze', '')",
  ).run();
  expect(await DB.prepare("SELECT MAX(id) FROM auditLog").first("MAX(id)")).toBe(2);
});
