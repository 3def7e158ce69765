/**
 * A token or credential of one site gets nothing of another. The cases follow the list of endpoints, so a route without
 * a case fails. Every request names what belongs to the other site: in its path, in its body, and in the header.
 */
import { SITE_HEADER } from "@waggle/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { endpoints } from "../app.ts";
import {
  agree,
  ask,
  bindings,
  call,
  freshEdge,
  makeUpload,
  type Reply,
  upload,
} from "../testing/edge.ts";
import { METRICS, outcomeOf, serverCredential } from "../testing/outcomes.ts";
import { storeRelease } from "../testing/releases.ts";
import { type Belongings, foreignBodies } from "../testing/foreign-bodies.ts";
import {
  leaseAt,
  makeSite,
  openSite,
  ownDefault,
  promoteNext,
  putText,
  registerBase,
  type TestSite,
  workAt,
} from "../testing/sites.ts";

let a: TestSite;
let ofDefault: TestSite;
let b: TestSite;
let baseOfA = "";
let of: Belongings;
/** Texts that only rows and objects of B contain. */
let marks: readonly string[] = [];

const failedCheck = (digest: string) => ({
  digest,
  status: "rejected",
  reason: "check-failed",
  success: false,
});

beforeAll(async () => {
  await freshEdge();
  a = await makeSite("a", { edgeTools: [], metrics: METRICS });
  b = await makeSite("b", { edgeTools: ["rooms"], metrics: METRICS });
  ofDefault = await ownDefault();
  baseOfA = await registerBase(a);
  const baseModel = await registerBase(b);
  const session = await openSite(b);
  const { token, visitorId } = session;
  // One becomes a dead letter, one stays leased, one stays ready.
  const letter = await workAt(token, baseModel);
  const failed = await leaseAt(b);
  await ask("POST", `/v1/trainer/leases/${failed.leaseId}/acknowledge`, {
    ...b.trainer,
    body: {
      fencingToken: failed.fencingToken,
      outcomes: [failedCheck(letter.digest)],
    },
  });
  const forged = await workAt(token, baseModel);
  const refused = await leaseAt(b);
  await ask("POST", `/v1/trainer/leases/${refused.leaseId}/acknowledge`, {
    ...b.trainer,
    body: {
      fencingToken: refused.fencingToken,
      outcomes: [{ digest: forged.digest, status: "rejected", reason: "not-drawn-from-seed" }],
    },
  });
  const leased = await workAt(token, baseModel);
  const lease = await leaseAt(b);
  const ready = await workAt(token, baseModel);
  const feedback = {
    id: crypto.randomUUID(),
    trajectoryId: leased.trajectory.id,
    kind: "thumb-up",
    at: "2026-11-20T12:00:00.000Z",
  };
  await ask("POST", "/v1/feedback", { token, body: feedback });
  const request = await makeUpload(baseModel, null);
  await upload(token, request);
  const note = { id: crypto.randomUUID(), kind: "comment", text: "note-of-b" };
  const notes = `/v1/operator/trajectories/${request.digest}/notes`;
  await ask("POST", notes, { ...b.operator, body: note });
  const outcome = outcomeOf(request.trajectory);
  await ask("POST", "/v1/visitor/outcomes", { token, body: outcome });
  const { adapter } = await promoteNext(b, baseModel);
  const stateId = crypto.randomUUID();
  await ask("POST", "/v1/trainer/lineages", { ...b.trainer, body: { stateId, step: 77 } });
  const metrics = { step: 77, at: feedback.at, metrics: { "metric-of-b": 1 } };
  await ask("POST", "/v1/trainer/metrics", { ...b.trainer, body: { rows: [metrics] } });
  for (const trainerId of ["first-of-b", "second-of-b"]) {
    const beat = { trainerId, step: 77, activity: "learning" };
    await ask("POST", "/v1/trainer/heartbeat", { ...b.trainer, body: beat });
  }
  const learnedFrom = {
    recipe: "recipe-of-b",
    steps: 1,
    trajectories: 1,
    signals: [{ signal: "verifier", trajectories: 1, weight: 1 }],
    consents: [],
  };
  await ask("PUT", "/v1/trainer/policies/1/report", { ...b.trainer, body: { learnedFrom } });
  const stop = { ...b.operator, body: { reason: "stop-of-b" } };
  await ask("PUT", "/v1/operator/stopped-signals/verifier", stop);
  await ask("PUT", "/v1/operator/freeze", { ...b.operator, body: { reason: "reason-of-b" } });
  await storeRelease("b", visitorId, request.trajectory.id);
  await bindings.DB.batch([
    bindings.DB.prepare(
      "INSERT INTO responses (site, trajectoryId, visitorId, stratum, answered) VALUES ('b', ?1, ?2, 'new wasm', 1)",
    ).bind(request.trajectory.id, visitorId),
    bindings.DB.prepare(
      "INSERT INTO conversationLinks (site, trajectoryId, outcomeOf, sender, place) VALUES ('b', ?1, ?1, ?2, 1)",
    ).bind(request.trajectory.id, visitorId),
  ]);
  of = {
    baseModel,
    visitorId,
    visitorToken: session.visitorToken,
    siteKey: b.siteKey,
    receipt: await agree(token),
    digest: leased.digest,
    upload: leased,
    request,
    leaseId: lease.leaseId ?? "",
    fencingToken: lease.fencingToken,
    object: { sha256: adapter?.sha256 ?? "", sizeBytes: adapter?.sizeBytes ?? 0 },
    stateId,
  };
  const uploads = [letter, forged, leased, ready].flatMap(({ assignment, digest, trajectory }) => [
    assignment.assignmentId,
    assignment.groupId,
    digest,
    trajectory.id,
  ]);
  marks = [
    baseModel,
    visitorId,
    of.receipt.signature,
    of.leaseId,
    of.object.sha256,
    feedback.id,
    outcome.id,
    request.digest,
    request.trajectory.id,
    stateId,
    ...uploads,
    "tasks-of-b",
    "second-of-b",
    "metric-of-b",
    "reason-of-b",
    "recipe-of-b",
    "stop-of-b",
    "note-of-b",
    "calculate",
    b.siteKey,
    "https://b.example",
  ];
});

test("a site's own credential opens it, and what is looked for below is there", async () => {
  const own = await call("GET", "/v1/operator/trajectories", b.operator);
  expect(JSON.stringify(own.body)).toContain(of.digest);
});

const BODIES = foreignBodies(
  () => a,
  () => baseOfA,
  () => of,
);

/** Routes whose answer is the same for everyone. */
const PUBLIC = endpoints.filter(({ access }) => access === "public");
const CLOSED = endpoints.filter(({ access }) => access !== "public");

function pathOf(path: string): string {
  const values: { [name: string]: string } = {
    digest: of.digest,
    leaseId: of.leaseId,
    version: "1",
    visitorId: of.visitorId,
    sender: of.visitorId,
    sha256: of.object.sha256,
    site: "b",
    channel: "stable",
    part: "1",
    signal: "verifier",
    table: "forgottenVisitors",
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no value of ${name}`);
}

/** All rows and objects of B. */
async function stateOfB(): Promise<string> {
  const tables = await bindings.DB.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE '%site%' ORDER BY name",
  ).all<{ name: string; sql: string }>();
  const found = await bindings.DB.batch(
    tables.results.map(({ name, sql }) => {
      const column = /\bsite TEXT NOT NULL/.test(sql) ? "site" : "id";
      return bindings.DB.prepare(`SELECT * FROM "${name}" WHERE ${column} = 'b' ORDER BY 1, 2`);
    }),
  );
  const rows = tables.results.map(({ name }, i) => [name, found[i]?.results]);
  const { objects } = await bindings.OBJECTS.list({ prefix: "sites/b/" });
  return JSON.stringify({ rows, objects: objects.map(({ key, etag }) => [key, etag]) });
}

async function tokenOf(site: TestSite, access: string): Promise<string> {
  if (access === "session") return (await openSite(site)).token;
  if (access === "outcomes") return (await serverCredential(site.id)).token;
  return access.endsWith("trainer") ? site.trainer.token : site.operator.token;
}

test("every route has a case", () => {
  const names = endpoints.map(({ operationId }) => operationId);
  expect(Object.keys(BODIES).toSorted()).toEqual(names.toSorted());
});

test("the state of B that is compared has rows in every table but those of refusals and of the forgotten", async () => {
  const { rows } = JSON.parse(await stateOfB()) as { rows: [string, unknown[]][] };
  const empty = rows.filter(([, found]) => found.length === 0).map(([name]) => name);
  expect(empty).toEqual(["forgottenTrajectories", "forgottenVisitors", "refusals"]);
});

describe.each([
  ["without the header", {}, () => a],
  ["with the header that names the other site", { [SITE_HEADER]: "b" }, () => a],
  ["with the credential of the site `default`", {}, () => ofDefault],
])("a request %s", (_, headers: Record<string, string>, from: () => TestSite) => {
  test.each(CLOSED.map((endpoint) => [endpoint.operationId, endpoint] as const))(
    "%s gets and changes nothing of the other site",
    async (operationId, { method, path, access, request }) => {
      const body = BODIES[operationId]?.();
      const token = await tokenOf(from(), access);
      const before = await stateOfB();
      const isMcp = operationId === "callMcp";
      const reply: Reply = await call(method.toUpperCase(), pathOf(path), {
        token,
        ...(request === "bytes" ? { raw: new TextEncoder().encode("other bytes") } : {}),
        ...(body === undefined ? {} : { body }),
        headers: {
          ...headers,
          ...(isMcp ? { accept: "application/json, text/event-stream" } : {}),
        },
      });
      const sent = pathOf(path) + JSON.stringify(body ?? "");
      const got = JSON.stringify(reply.body);
      expect(marks.filter((mark) => got.includes(mark) && !sent.includes(mark))).toEqual([]);
      expect(reply.status).toBeLessThan(500);
      // A page's header is ignored, because its token names the site.
      const isNamed = access !== "session" && SITE_HEADER in headers;
      const mayAnswer = !access.startsWith("installation") && !isNamed;
      expect(mayAnswer || reply.status === 403).toBe(true);
      expect(await stateOfB()).toBe(before);
    },
  );
});

describe("a public route", () => {
  test.each(PUBLIC.map((endpoint) => [endpoint.operationId, endpoint] as const))(
    "%s answers the same with and without a credential",
    async (operationId, { method, path }) => {
      const before = await stateOfB();
      const isNew = operationId === "createSession";
      const replies: Reply[] = [];
      for (const credential of [{}, { token: a.operator.token }]) {
        const body = BODIES[operationId]?.();
        replies.push(
          await call(method.toUpperCase(), pathOf(path), {
            ...credential,
            ...(body === undefined ? {} : { body }),
          }),
        );
      }
      const [without, known] = replies.map(({ status, body }) => ({
        status,
        body: isNew ? {} : body,
      }));
      expect(known).toEqual(without);
      // A does not know a visitor of B.
      expect(replies.filter(({ body }) => JSON.stringify(body).includes(of.visitorId))).toEqual([]);
      expect(await stateOfB()).toBe(before);
    },
  );
});

test("a site's counts, lists and policies are its own", async () => {
  const get = async (path: string) => (await call("GET", path, a.operator)).body;
  expect(await get("/v1/operator/summary")).toMatchObject({ stable: 0, canary: 0, byVersion: [] });
  expect(await get("/v1/operator/metrics?after=77")).toEqual({ rows: [] });
  const { token } = await openSite(a);
  expect((await call("GET", "/v1/policy", { token })).body).toMatchObject({
    policy: { version: 0, baseModel: baseOfA },
  });
  const page = await openSite(b);
  expect((await call("GET", "/v1/policy", { token: page.token })).body).toMatchObject({
    policy: { version: 1, baseModel: of.baseModel },
  });
});

test("a site cannot publish or register an object that only another site stores", async () => {
  await call("DELETE", "/v1/operator/freeze", a.operator);
  const stored = await call("POST", "/v1/trainer/policies", {
    ...a.trainer,
    body: BODIES["publishPolicy"]?.(),
  });
  expect(stored).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  expect(JSON.stringify(stored.body)).toContain("is not stored");
});

test("a visitor who is forgotten by one site is not forgotten by another", async () => {
  const one = await openSite(a);
  const other = await openSite(b);
  const idOfB = other.visitorId;
  await call("DELETE", `/v1/operator/visitors/${idOfB}`, a.operator);
  const again = await openSite(b, { visitorToken: other.visitorToken });
  expect(again.visitorId).toBe(idOfB);
  await call("DELETE", `/v1/operator/visitors/${one.visitorId}`, a.operator);
  const new_ = await openSite(a, { visitorToken: one.visitorToken });
  expect(new_.visitorId).not.toBe(one.visitorId);
});

test("the same object, digest and seed may be stored in two sites", async () => {
  const [inA, inB] = [await putText(a, "the same bytes"), await putText(b, "the same bytes")];
  expect(inA).toEqual(inB);
  const live = await makeUpload(baseOfA, null);
  const inBoth = { ...live.trajectory, baseModel: of.baseModel };
  const sessions = [await openSite(a), await openSite(b)];
  const uploads = [live, { ...(await makeUpload(of.baseModel, null, inBoth)) }];
  for (const [i, { token }] of sessions.entries()) {
    const { results } = await ask<{ results: { status: string }[] }>("POST", "/v1/trajectories", {
      token,
      body: { trajectories: [uploads[i]] },
    });
    expect(results[0]?.status).toBe("accepted");
  }
});
