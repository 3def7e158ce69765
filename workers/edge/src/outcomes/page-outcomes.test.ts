import { runInDurableObject } from "cloudflare:test";
import type { DeletionResponse } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { coordinatorOf } from "../coordinator.ts";
import { ask, asOperator, bindings, call, freshEdge, makeUpload, upload } from "../testing/edge.ts";
import { openSite, registerBase } from "../testing/sites.ts";
import {
  makeReportingSite,
  outcomeOf,
  reportAsPage,
  reportAsServer,
  type ReportingSite,
  shownOutcomes,
  summaryOf,
} from "../testing/outcomes.ts";

const DAY = 86_400_000;
let desk: ReportingSite;
let base = "";

beforeEach(async () => {
  await freshEdge();
  desk = await makeReportingSite("desk");
  base = await registerBase(desk);
});

async function answered() {
  const session = await openSite(desk);
  const example = await makeUpload(base, null);
  await upload(session.token, example);
  return { ...session, ...example };
}

const codeOf = (body: unknown) => (body as { error?: { code: string } }).error?.code;
const storedRows = () => bindings.DB.prepare("SELECT COUNT(*) AS n FROM outcomes").first("n");
const expire = (at: number): Promise<number> =>
  runInDurableObject(coordinatorOf(bindings, "desk"), (object) => object.expire(at));

test("a page's outcome joins its visitor's trajectory, and page and server are counted apart", async () => {
  const { token, digest, trajectory } = await answered();
  const outcome = outcomeOf(trajectory, { value: false });
  expect((await reportAsPage(token, outcome)).status).toBe(200);
  expect((await reportAsPage(token, outcome)).status).toBe(200);
  await reportAsServer(desk, outcomeOf(trajectory));
  expect(await shownOutcomes(desk, digest)).toMatchObject([
    { source: "server", value: true },
    { source: "page", value: false },
  ]);
  expect(await summaryOf(desk)).toMatchObject({
    byMetric: [
      { source: "page", count: 1, mean: 0 },
      { source: "server", count: 1, mean: 1 },
    ],
    liveTrajectories: 1,
    withOutcome: 1,
  });
});

test("a page cannot report about another visitor's trajectory, before or after it arrives", async () => {
  const { digest, trajectory, token } = await answered();
  const stranger = await openSite(desk);
  await reportAsPage(stranger.token, outcomeOf(trajectory));
  const next = await makeUpload(base, null);
  await reportAsPage(stranger.token, outcomeOf(next.trajectory));
  await upload(token, next);
  expect(await shownOutcomes(desk, digest)).toEqual([]);
  expect(await summaryOf(desk)).toMatchObject({ byMetric: [], withOutcome: 0 });
  // The control: the visitor of the trajectory can.
  await reportAsPage(token, outcomeOf(next.trajectory));
  expect(await summaryOf(desk)).toMatchObject({ byMetric: [{ count: 1 }], withOutcome: 1 });
});

test("a page that reports many times leaves one value per metric", async () => {
  const { token, trajectory } = await answered();
  for (let second = 10; second < 30; second += 1) {
    const at = `2026-11-20T12:00:${second}.000Z`;
    const value = (second % 5) + 1;
    await reportAsPage(token, outcomeOf(trajectory, { metric: "rating", value, at }));
  }
  expect(await storedRows()).toBe(1);
  expect(await summaryOf(desk)).toMatchObject({ byMetric: [{ count: 1, mean: 5 }] });
});

test("a visitor's pages can store 5000 outcomes, and the server more", async () => {
  const { token, visitorId, trajectory } = await answered();
  await bindings.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO outcomes (site, id, trajectoryId, metric, sender, type, value, occurredAt, receivedAt)
     SELECT 'desk', 'id' || i, 't' || i, 'booked', ?1, 'boolean', 1, 0, 0 FROM n`,
  )
    .bind(visitorId)
    .run();
  const refused = await reportAsPage(token, outcomeOf(trajectory));
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  expect(await reportAsServer(desk, outcomeOf(trajectory))).toEqual(["stored"]);
});

test.for([
  ["an undeclared metric", { metric: "sales" }],
  ["a value outside the range", { metric: "rating", value: 5.5 }],
  ["a value of another type", { value: 1 }],
] as const)("%s is refused with what the site declares", async ([, edit]) => {
  const { token, trajectory } = await answered();
  const reply = await reportAsPage(token, outcomeOf(trajectory, edit));
  expect([reply.status, codeOf(reply.body)]).toEqual([400, "INVALID_ARGUMENT"]);
  expect(await storedRows()).toBe(0);
});

test("a metric can be declared and removed without a deployment; what was stored stays", async () => {
  const { token, trajectory } = await answered();
  const change = (metrics: object | null) =>
    call("PUT", "/v1/operator/sites/desk", { ...asOperator, body: { settings: { metrics } } });
  await reportAsPage(token, outcomeOf(trajectory));
  await change(null);
  const none = await reportAsPage(token, outcomeOf(trajectory));
  expect(JSON.stringify(none.body)).toContain("declares no metrics");
  await change({ sales: { type: "number", better: "higher", range: [0, 1000] } });
  const sale = outcomeOf(trajectory, { metric: "sales", value: 12 });
  expect((await reportAsPage(token, sale)).status).toBe(200);
  const names = (await summaryOf(desk))?.byMetric.map(({ metric }) => metric);
  expect(names).toEqual(["booked", "sales"]);
  const wrong = await change({ sales: { type: "number", better: "higher" } });
  expect(wrong.status).toBe(400);
});

test("nothing is stored for a visit without consent", async () => {
  const visit = await ask<{ token: string }>("POST", "/v1/sessions", {
    body: { siteKey: desk.siteKey, remember: false },
  });
  const reply = await reportAsPage(visit.token, outcomeOf({ id: crypto.randomUUID() }));
  expect([reply.status, codeOf(reply.body)]).toEqual([403, "CONSENT_MISSING"]);
  expect(await storedRows()).toBe(0);
});

test("a forgotten visitor's outcomes are deleted with those of the server, and none can follow", async () => {
  const { token, trajectory } = await answered();
  const another = await answered();
  const early = outcomeOf({ id: crypto.randomUUID() });
  await reportAsPage(token, outcomeOf(trajectory));
  await reportAsPage(token, early);
  await reportAsServer(desk, outcomeOf(trajectory), outcomeOf(another.trajectory));
  const deleted = await ask<DeletionResponse>("DELETE", "/v1/visitor", { token });
  expect(deleted).toMatchObject({ deletedTrajectories: 1, deletedOutcomes: 3 });
  expect(await storedRows()).toBe(1);
  expect(await summaryOf(desk)).toMatchObject({
    byMetric: [{ source: "server", count: 1 }],
    liveTrajectories: 1,
    withOutcome: 1,
  });
  const late = await reportAsPage(token, early);
  expect([late.status, codeOf(late.body)]).toEqual([403, "CONSENT_MISSING"]);
  // The server cannot know. Its outcome joins nothing and is deleted after 30 days.
  expect(await reportAsServer(desk, outcomeOf(trajectory))).toEqual(["stored"]);
  expect(await summaryOf(desk)).toMatchObject({ byMetric: [{ count: 1 }], withOutcome: 1 });
  await expire(Date.now() + 31 * DAY);
  expect(await storedRows()).toBe(1);
});

test("outcomes go with their trajectory when the retention is over, and without one after it or 30 days", async () => {
  const { trajectory } = await answered();
  await reportAsServer(desk, outcomeOf(trajectory), outcomeOf({ id: crypto.randomUUID() }));
  const now = Date.now();
  await expire(now + 29 * DAY);
  expect(await storedRows()).toBe(2);
  await expire(now + 31 * DAY);
  expect(await storedRows()).toBe(1);
  const body = { settings: { retentionDays: 7 } };
  await ask("PUT", "/v1/operator/sites/desk", { ...asOperator, body });
  await reportAsServer(desk, outcomeOf({ id: crypto.randomUUID() }));
  await expire(now + 6 * DAY);
  expect(await storedRows()).toBe(2);
  await expire(now + 8 * DAY);
  expect(await storedRows()).toBe(0);
  expect(await summaryOf(desk)).toMatchObject({
    byMetric: [],
    liveTrajectories: 0,
    withOutcome: 0,
  });
});

test("an outcome alone sets the alarm that deletes it", async () => {
  await reportAsServer(desk, outcomeOf({ id: crypto.randomUUID() }));
  const object = coordinatorOf(bindings, "desk");
  await runInDurableObject(object, (_, state) => state.storage.deleteAlarm());
  await expire(Date.now());
  const alarm = await runInDurableObject(object, (_, state) => state.storage.getAlarm());
  expect(alarm).toEqual(expect.closeTo(Date.now() + DAY, -5));
});
