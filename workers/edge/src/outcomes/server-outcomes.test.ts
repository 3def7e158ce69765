import type { OutcomesResponse, VisitorExportLine } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { ask, asOperator, bindings, call, freshEdge, makeUpload, upload } from "../testing/edge.ts";
import { openSite, registerBase } from "../testing/sites.ts";
import {
  makeReportingSite,
  outcomeOf,
  reportAsServer,
  type ReportingSite,
  serverCredential,
  shownOutcomes,
  summaryOf,
} from "../testing/outcomes.ts";

let desk: ReportingSite;
let other: ReportingSite;
let base = "";

beforeEach(async () => {
  await freshEdge();
  desk = await makeReportingSite("desk");
  other = await makeReportingSite("other");
  base = await registerBase(desk);
});

async function answered(site = desk) {
  const { token, visitorId } = await openSite(site);
  const example = await makeUpload(base, null);
  await upload(token, example);
  return { token, visitorId, ...example };
}

const storedRows = () => bindings.DB.prepare("SELECT COUNT(*) AS n FROM outcomes").first("n");

test("an outcome of the server is stored once, however often its request arrives", async () => {
  const { digest, trajectory } = await answered();
  const outcomes = [outcomeOf(trajectory), outcomeOf(trajectory, { metric: "rating", value: 4.5 })];
  expect(await reportAsServer(desk, ...outcomes)).toEqual(["stored", "stored"]);
  expect(await reportAsServer(desk, ...outcomes)).toEqual(["duplicate", "duplicate"]);
  const source = "server";
  expect(await shownOutcomes(desk, digest)).toEqual(outcomes.map((one) => ({ ...one, source })));
  expect((await summaryOf(desk))?.byMetric).toEqual([
    { metric: "booked", type: "boolean", source, count: 1, mean: 1, deviation: null },
    { metric: "rating", type: "number", source, count: 1, mean: 4.5, deviation: null },
  ]);
});

test("each outcome of a batch is checked on its own and answered in order", async () => {
  const { trajectory } = await answered();
  const id = crypto.randomUUID();
  const good = outcomeOf(trajectory, { id });
  const answer = await ask<OutcomesResponse>("POST", "/v1/outcomes", {
    ...desk.server,
    body: {
      outcomes: [
        null,
        outcomeOf(trajectory, { metric: "rating", value: 7 }),
        good,
        good,
        { ...good, value: false },
        outcomeOf(trajectory, { metric: "constructor" }),
      ],
    },
  });
  expect(answer.results).toMatchObject([
    { id: null, status: "refused", code: "SCHEMA_INVALID" },
    { status: "refused", code: "INVALID_ARGUMENT", message: expect.stringContaining("1 to 5") },
    { id, status: "stored" },
    { id, status: "duplicate" },
    { id, status: "refused", code: "REPLAYED" },
    { code: "INVALID_ARGUMENT", message: expect.stringContaining("it has booked, rating") },
  ]);
  expect(await storedRows()).toBe(1);
});

test.for([
  ["a number that JSON cannot hold", '"metric":"rating","value":1e309'],
  ["NaN, which is no JSON", '"metric":"rating","value":NaN'],
  ["null, as NaN is written by JSON.stringify", '"metric":"rating","value":null'],
  ["a text", '"metric":"rating","value":"4"'],
  ["a boolean for a number", '"metric":"rating","value":true'],
  ["a number for a boolean", '"metric":"booked","value":1'],
  ["a value below the range", '"metric":"rating","value":0.999'],
  ["an undeclared metric", '"metric":"sales","value":1'],
  ["a member too much", '"metric":"booked","value":true,"visitorId":"v"'],
] as const)("%s is refused and not stored", async ([, members]) => {
  const { trajectory } = await answered();
  const { id, trajectoryId, at } = outcomeOf(trajectory);
  const raw = `{"outcomes":[{"id":"${id}","trajectoryId":"${trajectoryId}","at":"${at}",${members}}]}`;
  const headers = { "content-type": "application/json" };
  const { status, body } = await call("POST", "/v1/outcomes", { ...desk.server, raw, headers });
  const [result] = (body as Partial<OutcomesResponse>).results ?? [];
  // A body that is no JSON is refused as a whole.
  expect(result?.status ?? status).toBe(result === undefined ? 400 : "refused");
  expect(await storedRows()).toBe(0);
  // The control: the same request with a value that fits.
  expect(await reportAsServer(desk, outcomeOf(trajectory))).toEqual(["stored"]);
});

test("a request has 1 to 100 outcomes", async () => {
  const { trajectory } = await answered();
  const send = async (n: number) => {
    const outcomes = Array.from({ length: n }, () => outcomeOf({ id: crypto.randomUUID() }));
    return (await call("POST", "/v1/outcomes", { ...desk.server, body: { outcomes } })).status;
  };
  expect([await send(0), await send(101), await send(100)]).toEqual([400, 400, 200]);
  expect(await storedRows()).toBe(100);
  expect(await reportAsServer(desk, outcomeOf(trajectory))).toEqual(["stored"]);
});

test("only the credential of the site's own server opens the route, and it opens nothing else", async () => {
  const { token, trajectory } = await answered();
  const body = { outcomes: [outcomeOf(trajectory)] };
  const statusOf = async (bearer: string, headers: Record<string, string> = {}) =>
    (await call("POST", "/v1/outcomes", { token: bearer, body, headers })).status;
  const wrong = [
    token,
    desk.trainer.token,
    desk.operator.token,
    asOperator.token,
    `${desk.server.token}0`,
  ];
  for (const bearer of wrong) expect(await statusOf(bearer)).toBe(401);
  expect(await statusOf(other.server.token, { "X-Waggle-Site": "desk" })).toBe(403);
  for (const path of ["/v1/operator/summary", "/v1/trainer/policies"]) {
    expect((await call("GET", path, desk.server)).status).toBe(401);
  }
  const { token: next } = await serverCredential("desk");
  expect([await statusOf(desk.server.token), await statusOf(next)]).toEqual([401, 200]);
  await call("PUT", "/v1/operator/sites/desk/disabled", asOperator);
  expect(await statusOf(next)).toBe(403);
});

test("an outcome with another site's credential never joins a trajectory of this site", async () => {
  await registerBase(other);
  const { digest, trajectory } = await answered();
  expect(await reportAsServer(other, outcomeOf(trajectory))).toEqual(["stored"]);
  expect(await shownOutcomes(desk, digest)).toEqual([]);
  expect((await summaryOf(desk))?.byMetric).toEqual([]);
  expect((await summaryOf(other))?.byMetric).toEqual([]);
  expect(await reportAsServer(desk, outcomeOf(trajectory))).toEqual(["stored"]);
  expect(await shownOutcomes(desk, digest)).toHaveLength(1);
});

test("an outcome that arrives before its trajectory counts from then on", async () => {
  const { token } = await openSite(desk);
  const example = await makeUpload(base, null);
  const outcomes = [
    outcomeOf(example.trajectory),
    outcomeOf(example.trajectory, { metric: "rating", value: 2 }),
  ];
  expect(await reportAsServer(desk, ...outcomes)).toEqual(["stored", "stored"]);
  const none = { byMetric: [], liveTrajectories: 0, withOutcome: 0 };
  expect(await summaryOf(desk)).toMatchObject(none);
  await upload(token, example);
  expect(await summaryOf(desk)).toMatchObject({
    byMetric: [
      { metric: "booked", count: 1 },
      { metric: "rating", count: 1 },
    ],
    liveTrajectories: 1,
    withOutcome: 1,
  });
});

test("the later of two values counts, in whichever order they arrive", async () => {
  const { digest, trajectory } = await answered();
  const at = (day: number, value: boolean) =>
    outcomeOf(trajectory, { value, at: `2026-11-${day}T00:00:00.000Z` });
  const [early, middle, late] = [at(10, true), at(12, true), at(14, false)] as const;
  expect(await reportAsServer(desk, middle)).toEqual(["stored"]);
  expect(await reportAsServer(desk, late, early)).toEqual(["stored", "CONFLICT"]);
  // A repeated request cannot bring an old value back.
  expect(await reportAsServer(desk, middle)).toEqual(["CONFLICT"]);
  expect(await shownOutcomes(desk, digest)).toMatchObject([{ id: late.id, value: false }]);
  expect(await summaryOf(desk)).toMatchObject({
    byMetric: [{ metric: "booked", count: 1, mean: 0 }],
    withOutcome: 1,
  });
});

test("a time in the future counts as now, so that a later value can still replace it", async () => {
  const { digest, trajectory } = await answered();
  await reportAsServer(desk, outcomeOf(trajectory, { at: "2999-01-01T00:00:00.000Z" }));
  const [shown] = await shownOutcomes(desk, digest);
  expect(Date.parse(shown?.at ?? "")).toBeLessThanOrEqual(Date.now());
});

test("means and deviations are those of the stored values", async () => {
  for (const value of [1, 2, 2, 5]) {
    const { trajectory } = await answered();
    await reportAsServer(desk, outcomeOf(trajectory, { metric: "rating", value }));
  }
  // Mean 10 / 4 = 2.5; squared deviations 2.25 + 0.25 + 0.25 + 6.25 = 9, and 9 / 3 = 3.
  const [rating] = (await summaryOf(desk))?.byMetric ?? [];
  expect(rating).toMatchObject({ count: 4, mean: 2.5 });
  expect(rating?.deviation).toBeCloseTo(Math.sqrt(3), 12);
});

test("practice has no outcomes, and a request with several counts once", async () => {
  const first = await answered();
  await answered();
  const { token } = first;
  const assignment = await ask<Parameters<typeof makeUpload>[1]>("POST", "/v1/assignments", {
    token,
  });
  const practice = await makeUpload(base, assignment);
  await upload(token, practice);
  await reportAsServer(
    desk,
    outcomeOf(first.trajectory),
    outcomeOf(first.trajectory, { metric: "rating", value: 3 }),
    outcomeOf(practice.trajectory),
  );
  expect(await summaryOf(desk)).toMatchObject({
    byMetric: [
      { metric: "booked", count: 1 },
      { metric: "rating", count: 1 },
    ],
    liveTrajectories: 2,
    withOutcome: 1,
  });
  expect(await shownOutcomes(desk, practice.digest)).toEqual([]);
});

test("more outcomes than the limit of a minute are refused until the next one", async () => {
  const body = { settings: { outcomesPerMinute: 2 } };
  await ask("PUT", "/v1/operator/sites/desk", { ...asOperator, body });
  const send = (n: number) => {
    const outcomes = Array.from({ length: n }, () => outcomeOf({ id: crypto.randomUUID() }));
    return call("POST", "/v1/outcomes", { ...desk.server, body: { outcomes } });
  };
  expect((await send(2)).status).toBe(200);
  const late = await send(1);
  expect(late).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
  expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
});

test("an export of a visitor has the outcomes of page and server", async () => {
  const { token, visitorId, trajectory } = await answered();
  await reportAsServer(desk, outcomeOf(trajectory));
  const ofPage = outcomeOf(trajectory, { value: false });
  await call("POST", "/v1/visitor/outcomes", { token, body: ofPage });
  const path = `/v1/operator/visitors/${visitorId}/export`;
  const text = await ask<string>("GET", path, desk.operator);
  const lines = text.trim().split("\n");
  const outcomes = lines
    .map((line) => JSON.parse(line) as VisitorExportLine)
    .flatMap((line) => (line.kind === "outcome" ? [line.outcome] : []));
  expect(outcomes.map(({ source, value }) => `${source} ${String(value)}`).toSorted()).toEqual([
    "page false",
    "server true",
  ]);
});
