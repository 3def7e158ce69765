/** A backup is read from one edge and restored into an empty one, which then has the same rows, objects and counts. */
import { applyD1Migrations, reset } from "cloudflare:test";
import {
  type AuditResponse,
  BACKUP_TABLES,
  type BackupResponse,
  type BackupRow,
  type BackupTable,
  type RestoreResponse,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { forgetSites } from "../sites/site-directory.ts";
import { METRICS, outcomeOf } from "../testing/outcomes.ts";
import {
  ask,
  asOperator,
  asTrainer,
  bindings,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  publish,
  upload,
  work,
} from "../testing/edge.ts";
import { makeSite } from "../testing/sites.ts";
import { TABLE_KEYS } from "./table-keys.ts";

let baseModel = "";
let token = "";
let visitorId = "";

/** Tables that triggers fill. */
const COUNTS = ["tallies", "versionTallies", "outcomeTallies"];

type Backup = { [table in BackupTable]: BackupRow[] };

const pathOf = (table: string, site = "default") => `/v1/operator/sites/${site}/backup/${table}`;

async function readAll(): Promise<Backup> {
  const tables: [string, BackupRow[]][] = [];
  for (const table of BACKUP_TABLES) {
    const rows: BackupRow[] = [];
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`;
      const page: BackupResponse = await ask("GET", pathOf(table) + from, asOperator);
      rows.push(...page.rows);
      cursor = page.nextCursor;
    } while (cursor !== null);
    tables.push([table, rows]);
  }
  return Object.fromEntries(tables) as Backup;
}

const put = (table: string, rows: readonly BackupRow[], site?: string): Promise<RestoreResponse> =>
  ask("PUT", pathOf(table, site), { ...asOperator, body: { rows } });

async function restoreAll(backup: Backup): Promise<RestoreResponse> {
  let [stored, forgotten] = [0, 0];
  for (const table of BACKUP_TABLES) {
    const rows = backup[table];
    for (let at = 0; at === 0 || at < rows.length; at += 100) {
      const answer = await put(table, rows.slice(at, at + 100));
      stored += answer.stored;
      forgotten += answer.forgotten;
    }
  }
  return { stored, forgotten };
}

/** An edge without a row or an object. */
async function emptyEdge(): Promise<void> {
  await reset();
  forgetSites();
  const { objects } = await bindings.OBJECTS.list();
  await bindings.OBJECTS.delete(objects.map(({ key }) => key));
  await applyD1Migrations(bindings.DB, bindings.MIGRATIONS);
}

/** Every row of the tables of a backup and of the counts, without the numbers of the log. */
async function rowsNow(): Promise<unknown> {
  const tables: [string, unknown][] = [];
  for (const name of [...BACKUP_TABLES, ...COUNTS]) {
    const { results } = await bindings.DB.prepare(`SELECT * FROM ${name}`).all();
    const texts = results
      .filter(({ action, count }) => action !== "restore" && count !== 0)
      .map(({ id, ...row }) => JSON.stringify(name === "auditLog" ? row : { id, ...row }));
    tables.push([name, texts.toSorted()]);
  }
  return tables;
}

async function objectsNow(): Promise<unknown> {
  const { objects } = await bindings.OBJECTS.list({ prefix: "trajectories/" });
  return objects.map(({ key, etag }) => [key, etag]);
}

/** Tables that a backup leaves out. */
const LEFT_OUT = [
  // Restored as sites, with their settings and keys.
  "sites",
  "siteKeys",
  // Counted again by triggers.
  ...COUNTS,
  // Limits, refusals and trainers, which are of use for days at most.
  "assignmentBudgets",
  "uploadBytes",
  "refusals",
  "trainers",
  // Which visitor counted in a running release.
  "releaseVisitors",
  "releaseRequests",
  "releaseValues",
];

test("every table of the migrations is in a backup or left out on purpose", async () => {
  const { results } = await bindings.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table'
     AND name NOT LIKE 'sqlite%' AND name NOT LIKE '@_cf%' ESCAPE '@' AND name != 'd1_migrations'`,
  ).all<{ name: string }>();
  expect(results.map(({ name }) => name).toSorted()).toEqual(
    [...BACKUP_TABLES, ...LEFT_OUT].toSorted(),
  );
});

test("pages of every table go on after a whole primary key, so that they miss no row", async () => {
  for (const table of BACKUP_TABLES) {
    const { results } = await bindings.DB.prepare(
      "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 AND name != 'site'",
    )
      .bind(table)
      .all<{ name: string }>();
    const names = results.map(({ name }) => name);
    // The base model is the only row of its site.
    const expected = table === "baseModel" ? ["sha256"] : names;
    expect([table, ...TABLE_KEYS[table].keys]).toEqual([table, ...expected]);
  }
});

const learned = (digest: string, step: number) => ({
  digest,
  status: "learned",
  staleness: 0,
  reward: 1,
  success: true,
  logProbGapMean: 0,
  drawMismatches: 0,
  logProbGapMax: 0,
  advantage: 1,
  step,
});

async function giveFeedback(trajectoryId: string): Promise<void> {
  await ask("POST", "/v1/feedback", {
    token,
    body: {
      id: crypto.randomUUID(),
      trajectoryId,
      kind: "thumb-up",
      at: "2026-11-20T12:00:00.000Z",
    },
  });
}

beforeEach(async () => {
  baseModel = await freshEdge();
  ({ token, visitorId } = await openSession());
});

/** Stores something in most tables. @returns the id of the visitor's own request */
async function fill(): Promise<string> {
  const settings = { metrics: METRICS };
  await ask("PUT", "/v1/operator/sites/default", { ...asOperator, body: { settings } });
  const request = await makeUpload(baseModel, null);
  await upload(token, request);
  await ask("POST", "/v1/visitor/outcomes", { token, body: outcomeOf(request.trajectory) });
  await giveFeedback(request.trajectory.id);
  const { leaseId, fencingToken } = await lease(1, 600);
  await ask("POST", `/v1/trainer/leases/${leaseId}/acknowledge`, {
    ...asTrainer,
    body: {
      fencingToken,
      outcomes: [learned(request.digest, 3)],
      lineage: { stateId: crypto.randomUUID(), step: 3 },
    },
  });
  await publish(1, baseModel, 3);
  await work(token, baseModel);
  const decision = { ...asOperator, body: { reason: "before the backup" } };
  await ask("PUT", "/v1/operator/freeze", decision);
  await ask("PUT", "/v1/operator/stopped-signals/verifier", decision);
  const gone = await openSession();
  await upload(gone.token, await makeUpload(baseModel, null));
  await ask("DELETE", "/v1/visitor", gone);
  return request.trajectory.id;
}

test("an empty edge has the same rows, objects and counts after a restore, and a second restore adds nothing", async () => {
  await fill();
  const backup = await readAll();
  const [rows, objects] = [await rowsNow(), await objectsNow()];
  expect(backup.trajectories).toHaveLength(2);
  expect(backup.signalSwitches).toMatchObject([{ row: { signal: "verifier", isStopped: 1 } }]);
  expect(backup.reputations).toMatchObject([{ row: { holder: visitorId, verified: 1 } }]);
  await emptyEdge();
  expect(await objectsNow()).toEqual([]);
  expect(await restoreAll(backup)).toMatchObject({ forgotten: 0 });
  expect(await rowsNow()).toEqual(rows);
  expect(await objectsNow()).toEqual(objects);
  const again = await restoreAll(backup);
  expect(await rowsNow()).toEqual(rows);
  // Counters are compared and kept, so that they count as stored.
  expect(again.stored).toBe(backup.counters.length);
});

test("the visitor whose data a restored edge has can have it deleted, with the versions that learned from it", async () => {
  await fill();
  const backup = await readAll();
  await emptyEdge();
  await restoreAll(backup);
  const deleted = await ask("DELETE", `/v1/operator/visitors/${visitorId}`, asOperator);
  expect(deleted).toMatchObject({
    deletedTrajectories: 2,
    deletedFeedback: 1,
    learnedBy: [1],
  });
  expect(await objectsNow()).toEqual([]);
});

test("nothing of a visitor who asked for deletion after the backup is restored", async () => {
  const trajectoryId = await fill();
  const other = await openSession();
  await upload(other.token, await makeUpload(baseModel, null));
  const backup = await readAll();
  await ask("DELETE", "/v1/visitor", { token });
  // The deletions are read again before the restore.
  const deletions = await readAll();
  await emptyEdge();
  const { forgottenVisitors, forgottenTrajectories } = deletions;
  const { forgotten } = await restoreAll({ ...backup, forgottenVisitors, forgottenTrajectories });
  expect(forgotten).toBeGreaterThanOrEqual(4);
  const left = JSON.stringify([await rowsNow(), await objectsNow()]);
  expect(left).not.toContain(visitorId);
  expect(left).not.toContain(trajectoryId);
  expect(left).toContain(other.visitorId);
  const known = await ask("DELETE", `/v1/operator/visitors/${visitorId}`, asOperator);
  expect(known).toMatchObject({ deletedTrajectories: 0, learnedBy: [1] });
});

test("more than a page of rows and of bytes is read", async () => {
  const largest = { tokenIds: Array.from({ length: 60_000 }, (_, i) => i % 90) };
  const given = { kind: "given", id: "s0", parent: null, role: "user", ...largest } as const;
  for (let i = 0; i < 28; i++) {
    const plain = (await makeUpload(baseModel, null)).trajectory;
    const segments = [given, ...plain.segments.slice(1)];
    await upload(token, await makeUpload(baseModel, null, { segments }));
  }
  const first = await ask<BackupResponse>("GET", pathOf("trajectories"), asOperator);
  expect(first.rows.length).toBeLessThan(28);
  expect((await readAll()).trajectories).toHaveLength(28);
  const { results } = await bindings.DB.prepare(
    `INSERT INTO metrics (site, step, at, metrics)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
     SELECT 'default', i, '', '{}' FROM n RETURNING 1`,
  ).all();
  expect(results).toHaveLength(250);
  const steps = (await readAll()).metrics.map(({ row }) => row["step"]);
  expect(steps).toEqual(Array.from({ length: 250 }, (_, i) => i + 1));
});

test("a missing or damaged object is null in a backup, and a restore keeps the row", async () => {
  await fill();
  const [first, second] = (await bindings.OBJECTS.list({ prefix: "trajectories/" })).objects;
  await bindings.OBJECTS.delete(first?.key ?? "");
  await bindings.OBJECTS.put(second?.key ?? "", "{}");
  const backup = await readAll();
  expect(backup.trajectories.map(({ object }) => object)).toEqual([null, null]);
  await emptyEdge();
  await restoreAll(backup);
  expect((await readAll()).trajectories).toHaveLength(2);
});

test("a changed object is refused, and nothing of the request is stored", async () => {
  await fill();
  const { trajectories } = await readAll();
  await emptyEdge();
  const [changed] = trajectories;
  const rows = trajectories.map((each) =>
    each === changed ? { ...each, object: `${each.object ?? ""} ` } : each,
  );
  const reply = await call("PUT", pathOf("trajectories"), { ...asOperator, body: { rows } });
  expect(reply).toMatchObject({ body: { error: { code: "DIGEST_MISMATCH" } } });
  expect((await readAll()).trajectories).toEqual([]);
});

test.each([
  ["a column that the table lacks", { row: { visitor: "v", forgottenAt: 1, more: 1 } }],
  ["another site", { row: { visitor: "v", forgottenAt: 1, site: "desk" } }],
  ["a column name with other characters", { row: { 'visitor") --': "v" } }],
  ["a value that the table does not take", { row: { visitor: null, forgottenAt: 1 } }],
  ["a value that is no text or number", { row: { visitor: { a: 1 }, forgottenAt: 1 } }],
])("a row with %s is refused", async (_, row) => {
  const reply = await call("PUT", pathOf("forgottenVisitors"), {
    ...asOperator,
    body: { rows: [row] },
  });
  expect(reply).toMatchObject({ status: 400, body: { error: { code: "SCHEMA_INVALID" } } });
});

test("rows are restored into the site of the path alone, and other tables are not found", async () => {
  await makeSite("desk");
  await put("lineages", [{ row: { stateId: "s", step: 7 } }], "desk");
  const { results } = await bindings.DB.prepare("SELECT site, step FROM lineages").all();
  expect(results).toEqual([{ site: "desk", step: 7 }]);
  for (const table of ["sites", "siteKeys", "tallies", "sqlite_master"]) {
    expect(await call("GET", pathOf(table), asOperator)).toMatchObject({ status: 404 });
  }
  expect(await call("GET", pathOf("lineages", "nowhere"), asOperator)).toMatchObject({
    status: 404,
  });
});

test.each(["[]", "[1,2]", "{}", "x", '[{"a":1}]'])("the cursor %j is refused", async (cursor) => {
  const path = `${pathOf("lineages")}?cursor=${encodeURIComponent(cursor)}`;
  expect(await call("GET", path, asOperator)).toMatchObject({ status: 400 });
});

test("backup and restore are in the audit log, and a restored log keeps its entries once", async () => {
  await fill();
  const backup = await readAll();
  await emptyEdge();
  await restoreAll(backup);
  await restoreAll(backup);
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  const count = (action: string) => entries.filter((entry) => entry.action === action).length;
  expect([count("restore"), count("back-up"), count("freeze"), count("publish")]).toEqual([
    2, 1, 1, 1,
  ]);
});
