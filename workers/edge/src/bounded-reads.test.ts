import { createExecutionContext } from "cloudflare:test";
import { RELEASE_DEFAULTS } from "@waggle/evaluation";
import { DEFAULT_SITE, type OperatorSummary } from "@waggle/protocol";
import { beforeAll, expect, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { sampleSize } from "../../../test/fixtures/long.ts";
import worker from "./testing/worker.ts";
import { assignTask } from "./assignment-store.ts";
import { ingest } from "./ingest.ts";
import { leaseGroups } from "./leases/lease-store.ts";
import { checkOutcome } from "./outcomes/outcome-check.ts";
import { SERVER, storeOutcomes } from "./outcomes/outcome-store.ts";
import { PRODUCTION } from "./testing/asking-visitors.ts";
import {
  ask,
  asOperator,
  asTrainer,
  bindings,
  freshEdge,
  makeUpload,
  openSession,
  ORIGIN,
  rows,
} from "./testing/edge.ts";
import { countValues, releaseCounts } from "./releases/release-counts.ts";
import { runningRelease, startRelease } from "./releases/release-store.ts";
import { siteDatabase } from "./sites/site-database.ts";
import { METRICS, outcomeOf } from "./testing/outcomes.ts";
import { meterRows } from "./testing/row-meter.ts";

/** Trajectories in the large database. */
const LARGE = sampleSize(20_000, 100_000);
const BOUND = 1500;

const NUMBERS = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)";

/** Fills the database up to `total` trajectories, abandoned groups and versions. */
async function fill(from: number, total: number): Promise<void> {
  const { DB } = bindings;
  const STEP = 10_000;
  for (let first = from; first < total; first += STEP) {
    const range = [first + 1, Math.min(total, first + STEP)];
    const id = "printf('%08x-0000-4000-8000-000000000000', i)";
    // One in fifty waits for the trainer in a group of its own, like a visitor's own request.
    await DB.batch([
      DB.prepare(
        `${NUMBERS} INSERT INTO policies (site, version, parent, baseModel, adapter, status, step, publishedAt)
         SELECT 'default', i, 0, 'b', NULL, 'rolled-back', i, '2026-11-20T12:00:00.000Z' FROM n`,
      ).bind(...range),
      DB.prepare(
        `${NUMBERS} INSERT INTO taskGroups
           (site, id, environment, seed, split, capacity, assigned, createdAt, deadlineAt, state)
         SELECT 'default', 'abandoned-' || i, 'rooms', i, 'train', 8, 1, i, i, 'done' FROM n`,
      ).bind(...range),
      DB.prepare(
        `${NUMBERS} INSERT INTO taskGroups
           (site, id, capacity, assigned, createdAt, deadlineAt, state)
         SELECT 'default', ${id}, 1, 1, i, i, 'open' FROM n WHERE i % 50 = 0`,
      ).bind(...range),
      DB.prepare(
        `${NUMBERS} INSERT INTO trajectories (site, digest, id, visitorId, assignmentId, groupId,
           policyVersion, tokens, stopReason, objectKey, sizeBytes, receivedAt, status, reason,
           success, reward)
         SELECT 'default', printf('%064x', i), ${id}, printf('%08x-0000-4000-8000-000000000001', i % 997),
           CASE WHEN i % 50 THEN 'a' || i END, CASE WHEN i % 50 = 0 THEN ${id} END,
           i % 40, 10, 'completed', 'k', 100, i,
           CASE WHEN i % 50 = 0 THEN 'ready' WHEN i % 7 = 0 THEN 'rejected' ELSE 'learned' END,
           CASE WHEN i % 50 AND i % 7 = 0 THEN 'reason-' || (i % 5) END,
           CASE WHEN i % 50 AND i % 7 THEN i % 2 END, CASE WHEN i % 50 AND i % 7 THEN 0.5 END
         FROM n`,
      ).bind(...range),
      // Visitors of the running release, and of one that ended.
      DB.prepare(
        `${NUMBERS} INSERT INTO releaseVisitors (site, version, visitorId, stage, arm, requests, state)
         SELECT 'default', 1 + i % 2, 'v' || i, 0, 'stable', 1, 'counted' FROM n`,
      ).bind(...range),
      DB.prepare(
        `${NUMBERS} INSERT INTO releaseValues (site, version, visitorId, metric, stage, arm, n, y)
         SELECT 'default', 1 + i % 2, 'v' || i, 'thumb', 0, 'stable', 1, i % 2 FROM n`,
      ).bind(...range),
    ]);
  }
}

const LISTS = [
  "",
  "?status=waiting",
  "?status=rejected&reason=reason-1&version=3",
  "?success=true&version=39",
  "?reason=unknown",
  "?status=skipped",
];

/** Rows that each call reads. */
async function measure(baseModel: string): Promise<Map<string, number>> {
  const read = new Map<string, number>();
  const metered = async (name: string, run: (db: D1Database) => Promise<unknown>) => {
    const meter = meterRows(bindings.DB);
    await run(meter.DB);
    read.set(name, meter.rows);
  };
  const get = (path: string, token: string) =>
    metered(`GET ${path}`, async (DB) => {
      const headers = { authorization: `Bearer ${token}` };
      const env = { ...bindings, DB };
      const request = new Request(ORIGIN + path, { headers });
      const reply = await worker.fetch(request, env, createExecutionContext());
      expect(reply.status).toBe(200);
    });
  const { token, visitorId } = await openSession();
  const asker = { visitorId, addressPrefix: "somewhere" };
  const now = Date.now();
  await get("/healthz", "");
  await get("/v1/operator/summary", asOperator.token);
  await get("/v1/operator/health", asOperator.token);
  await get("/v1/operator/policies", asOperator.token);
  await get("/v1/operator/releases", asOperator.token);
  await metered("release", async (db) => {
    const site = siteDatabase(db, DEFAULT_SITE);
    const release = await runningRelease(site);
    if (release === null) throw new Error("no release is running");
    await countValues(site, release);
    expect((await releaseCounts(site, release)).stages).toHaveLength(1);
  });
  await get("/v1/policy", token);
  await get("/v1/policies/canary", token);
  await get("/v1/trainer/requests", asTrainer.token);
  for (const list of LISTS) await get(`/v1/operator/trajectories${list}`, asOperator.token);
  let task = null;
  await metered("assignment", async (db) => {
    task = await assignTask(
      siteDatabase(db, DEFAULT_SITE),
      asker,
      { ...PRODUCTION, firstSeed: 1_000_000 },
      now,
    );
  });
  const upload = await makeUpload(baseModel, task);
  await metered("upload", async (DB) => {
    const stores = { ...bindings, DB: siteDatabase(DB, DEFAULT_SITE) };
    const rules = { groupBytes: 0, consentDays: 400, level: "full", now } as const;
    const [result] = await ingest(stores, visitorId, { trajectories: [upload] }, rules);
    expect(result?.status).toBe("accepted");
  });
  const booked = checkOutcome(outcomeOf(upload.trajectory), METRICS, now);
  await metered("outcome", async (db) => {
    const [result] = await storeOutcomes(
      siteDatabase(db, DEFAULT_SITE),
      SERVER,
      [booked],
      { METRICS, FEEDBACK_FROM: ["thumb", "outcome", "message"], CONSENT_DAYS: 400 },
      now,
    );
    expect(result?.status).toBe("stored");
  });
  await metered("lease", (db) =>
    leaseGroups(
      siteDatabase(db, DEFAULT_SITE),
      { trainerId: "t", maxGroups: 8, durationSeconds: 60 },
      { MAX_LEASE_FAILURES: 3, CONSENT_DAYS: 400 },
      now,
    ),
  );
  return read;
}

let baseModel = "";
beforeAll(async () => {
  baseModel = await freshEdge();
  const rule = { ...RELEASE_DEFAULTS, primary: { name: "thumb" } };
  const metrics = [{ name: "thumb", type: "thumb", worst: 0, best: 1 }] as const;
  await startRelease(rows, 2, 0, { rule, metrics }, 0).run();
});

fault(
  "the number of rows that a call reads does not grow with the stored data",
  {
    item: "7.4",
    before: "the summary read 400,005 rows a call at 100,000 trajectories",
    timeoutMs: 240_000,
  },
  async () => {
    await fill(0, 1000);
    const small = await measure(baseModel);
    await fill(1000, LARGE);
    const large = await measure(baseModel);
    const shown = [...large]
      .map(([name, rows]) => `${name}: ${small.get(name)} → ${rows}`)
      .join("\n");
    for (const [name, rows] of large) expect(rows, `${name}\n${shown}`).toBeLessThanOrEqual(BOUND);
    const most = Math.max(...large.values());
    const summary = large.get("GET /v1/operator/summary");
    return {
      after: `${summary} rows for the summary at ${LARGE} trajectories, ${most} at most of ${large.size} calls`,
    };
  },
);

test("counters equal a count of the rows, also after a visitor is forgotten", async () => {
  const counted = async () => {
    const { results } = await bindings.DB.prepare(
      "SELECT status, COUNT(*) AS count FROM trajectories GROUP BY status",
    ).all<{ status: string; count: number }>();
    const of = (...names: string[]) =>
      results.filter(({ status }) => names.includes(status)).reduce((sum, r) => sum + r.count, 0);
    const visitors = await bindings.DB.prepare(
      "SELECT COUNT(DISTINCT visitorId) AS n FROM trajectories",
    ).first<number>("n");
    const judged = await bindings.DB.prepare(
      `SELECT COUNT(*) AS n FROM trajectories WHERE assignmentId IS NOT NULL AND success IS NOT NULL`,
    ).first<number>("n");
    return {
      waiting: of("stored", "ready"),
      rejected: of("rejected"),
      learned: of("learned"),
      visitors,
      judged,
    };
  };
  const read = async () => {
    const { trajectories, visitors, byVersion }: OperatorSummary = await ask(
      "GET",
      "/v1/operator/summary",
      asOperator,
    );
    const { waiting, rejected, learned } = trajectories;
    const judged = byVersion.reduce((sum, row) => sum + row.trajectories, 0);
    return { waiting, rejected, learned, visitors, judged };
  };
  expect(await read()).toEqual(await counted());
  const before = await counted();
  await bindings.DB.prepare("DELETE FROM trajectories WHERE visitorId LIKE '00000003-%'").run();
  const after = await counted();
  expect(after.visitors).toBe((before.visitors ?? 0) - 1);
  expect(await read()).toEqual(after);
});
