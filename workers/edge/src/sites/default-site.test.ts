/** The site `default`: what an operator stores overrides the Worker's variables, and removing it brings them back. */
import {
  type AuditResponse,
  type ChangeSiteRequest,
  DEFAULT_SITE,
  type Site,
  type SitesResponse,
} from "@waggle/protocol";
import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { coordinatorOf } from "../coordinator.ts";
import {
  ask,
  asOperator,
  asTrainer,
  assign,
  bindings,
  call,
  freshEdge,
  openSession,
  putBytes,
  stored,
  work,
} from "../testing/edge.ts";
import { makeSite, ownDefault, registerBase } from "../testing/sites.ts";
import { forgetSites, siteDirectory } from "./site-directory.ts";

const DAY = 86_400_000;
const PATH = `/v1/operator/sites/${DEFAULT_SITE}`;

let baseModel = "";
beforeEach(async () => {
  baseModel = await freshEdge();
});
afterEach(() => vi.useRealTimers());

const change = (settings: ChangeSiteRequest["settings"]) =>
  call("PUT", PATH, { ...asOperator, body: { settings } });
const set = (settings: ChangeSiteRequest["settings"]) =>
  ask<Site>("PUT", PATH, { ...asOperator, body: { settings } });
const show = () => ask<Site>("GET", PATH, asOperator);
const sessionStatus = async (siteKey: string) =>
  (await call("POST", "/v1/sessions", { body: { siteKey } })).status;

test("it is shown with the variables and the names of what is stored, and nothing is stored at first", async () => {
  const before = await show();
  expect(before).toMatchObject({
    name: DEFAULT_SITE,
    createdAt: null,
    settings: { siteKeys: ["test-site"], groupSize: 3, taskEnvironment: "rooms" },
    stored: [],
  });
  const body = { name: "Shop", settings: { groupSize: 1 } };
  expect(await ask<Site>("PUT", PATH, { ...asOperator, body })).toEqual({
    ...before,
    name: "Shop",
    settings: { ...before.settings, groupSize: 1 },
    stored: ["groupSize"],
  });
  expect(await set({ groupSize: null })).toEqual({ ...before, name: "Shop" });
  await makeSite("desk");
  const { sites } = await ask<SitesResponse>("GET", "/v1/operator/sites", asOperator);
  expect(sites.map(({ id, name }) => [id, name])).toEqual([
    [DEFAULT_SITE, "Shop"],
    ["desk", "desk"],
  ]);
  const { entries } = await ask<AuditResponse>("GET", "/v1/operator/audit", asOperator);
  expect(entries).toMatchObject([
    { action: "change-site", reason: "groupSize" },
    { action: "change-site", reason: "groupSize" },
  ]);
});

test("tasks, groups, gate, limits and origins follow what is stored, and the variables when it is removed", async () => {
  const { token } = await openSession();
  const seen = async () => {
    const { task, groupId } = await assign(token);
    const group = await bindings.DB.prepare("SELECT capacity FROM taskGroups WHERE id = ?1")
      .bind(groupId)
      .first<number>("capacity");
    const { gate } = await ask<{ gate: { minTasks: number } }>(
      "GET",
      "/v1/operator/policies",
      asOperator,
    );
    const health = await ask<{ environment: string }>("GET", "/healthz");
    const control = await ask<{ environment: string }>("GET", "/v1/trainer/control", asTrainer);
    return [task?.environment, group, gate.minTasks, health.environment, control.environment];
  };
  const origin = async (name: string) => {
    const reply = await call("GET", "/v1/policy", { token, headers: { origin: name } });
    return reply.headers.get("access-control-allow-origin");
  };
  const variables = ["rooms", 3, 64, "rooms", "rooms"];
  expect(await seen()).toEqual(variables);
  await set({
    taskEnvironment: "forms",
    groupSize: 2,
    gateMinTasks: 7,
    allowedOrigins: ["https://new.example"],
  });
  expect(await seen()).toEqual(["forms", 2, 7, "forms", "forms"]);
  expect(await origin("https://new.example")).toBe("https://new.example");
  expect(await origin("https://site.example")).toBeNull();
  await set({ taskEnvironment: null, groupSize: null, gateMinTasks: null, allowedOrigins: null });
  expect(await seen()).toEqual(variables);
  expect(await origin("https://site.example")).toBe("https://site.example");
  await set({ rateLimitPerMinute: 1 });
  expect((await call("POST", "/v1/assignments", { token })).status).toBe(429);
});

test("what is stored is not inherited by other sites", async () => {
  const desk = await makeSite("desk");
  await registerBase(desk);
  await set({ gateMinTasks: 7 });
  expect(await ask("GET", "/v1/operator/policies", desk.operator)).toMatchObject({
    gate: { minTasks: 64 },
  });
});

test("retention follows what is stored, and the alarm is set at once", async () => {
  await work((await openSession()).token, baseModel);
  const coordinator = coordinatorOf(bindings, DEFAULT_SITE);
  const expire = () =>
    runInDurableObject(coordinator, (object) => object.expire(Date.now() + 31 * DAY));
  expect(await expire()).toBe(0);
  await runInDurableObject(coordinator, (_, { storage }) => storage.deleteAlarm());
  await set({ retentionDays: 30 });
  const alarm = await runInDurableObject(coordinator, (_, { storage }) => storage.getAlarm());
  expect(alarm ?? Infinity).toBeLessThan(Date.now() + 120_000);
  await set({ retentionDays: null });
  expect(await expire()).toBe(0);
  await set({ retentionDays: 30 });
  expect(await expire()).toBe(1);
  expect(await stored()).toMatchObject({ rows: 0 });
});

test("a site key is replaced in two steps, and the variable's key stays that of `default`", async () => {
  const { token } = await openSession();
  await set({ siteKeys: ["test-site", "second"] });
  expect([await sessionStatus("test-site"), await sessionStatus("second")]).toEqual([200, 200]);
  await set({ siteKeys: ["second"] });
  expect([await sessionStatus("test-site"), await sessionStatus("second")]).toEqual([403, 200]);
  // The token of an open page is valid until it expires.
  expect((await call("POST", "/v1/assignments", { token })).status).toBe(200);
  for (const key of ["test-site", "second"]) {
    const body = { id: "desk", settings: { siteKeys: [key] } };
    expect((await call("POST", "/v1/operator/sites", { ...asOperator, body })).status).toBe(409);
  }
  await makeSite("other");
  expect((await change({ siteKeys: ["key-of-other"] })).status).toBe(409);
  expect(await show()).toMatchObject({ settings: { siteKeys: ["second"] } });
  await set({ siteKeys: null });
  expect([await sessionStatus("test-site"), await sessionStatus("second")]).toEqual([200, 403]);
  await makeSite("desk", { siteKeys: ["second"] });
});

test("another isolate sees a change within the time for which it keeps the sites", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const minTasks = async () =>
    (await siteDirectory(bindings)).sites.get(DEFAULT_SITE)?.settings.GATE_MIN_TASKS;
  expect(await minTasks()).toBe(64);
  // Written by another isolate, so this one is not told.
  await bindings.DB.prepare(
    `INSERT INTO sites (id, name, createdAt, settings, trainerCredential, operatorCredential)
     VALUES ('default', 'default', 0, '{"gateMinTasks":7}', '', '')`,
  ).run();
  expect(await minTasks()).toBe(64);
  vi.setSystemTime(Date.now() + 5000);
  expect(await minTasks()).toBe(7);
});

test("its objects are served while the sites cannot be read", async () => {
  const { sha256 } = await putBytes(new TextEncoder().encode("bytes of an adapter"));
  await bindings.DB.prepare("DROP TABLE sites").run();
  forgetSites();
  expect(await ask("GET", `/v1/objects/${sha256}`)).toBe("bytes of an adapter");
  expect((await call("GET", "/v1/trainer/control", asTrainer)).status).toBe(500);
});

test("it cannot be created, disabled or deleted", async () => {
  const disabled = await call("PUT", `${PATH}/disabled`, asOperator);
  expect(disabled).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  expect(JSON.stringify(disabled.body)).toContain("the site default cannot be disabled");
  const enabled = await call("DELETE", `${PATH}/disabled`, asOperator);
  expect(enabled.status).toBe(409);
  expect(JSON.stringify(enabled.body)).toContain("the site default is always enabled");
  const body = { id: DEFAULT_SITE };
  expect((await call("POST", "/v1/operator/sites", { ...asOperator, body })).status).toBe(409);
  expect((await call("DELETE", PATH, asOperator)).status).toBe(405);
  expect(await sessionStatus("test-site")).toBe(200);
});

test.each([{ groupSize: 0 }, { taskEnvironment: "" }])(
  "a change to %j is refused and stores nothing",
  async (settings) => {
    const before = await show();
    expect(await change(settings)).toMatchObject({
      status: 400,
      body: { error: { code: "SCHEMA_INVALID" } },
    });
    expect(await show()).toEqual(before);
  },
);

test("its own credentials open it alone, and the installation's stay valid", async () => {
  await makeSite("desk");
  const control = async (token: string, role: string, site?: string) => {
    const headers = site === undefined ? {} : { "x-waggle-site": site };
    return (await call("GET", `/v1/${role}/control`, { token, headers })).status;
  };
  const first = await ownDefault();
  const own = await ownDefault();
  for (const role of ["trainer", "operator"] as const) {
    expect(await control(first[role].token, role)).toBe(401);
    expect(await control(own[role].token, role)).toBe(200);
    expect(await control(own[role].token, role, DEFAULT_SITE)).toBe(200);
    expect(await control(own[role].token, role, "desk")).toBe(403);
  }
  expect(await control(asTrainer.token, "trainer", "desk")).toBe(200);
  expect(await control(asOperator.token, "operator", "desk")).toBe(200);
  // No hash is empty, so a site without own credentials has none that opens it.
  expect(await control("", "operator")).toBe(401);
  const body = { settings: { groupSize: 1 } };
  expect((await call("PUT", PATH, { ...own.operator, body })).status).toBe(403);
});

test("the installation's operator repairs it when no page can use it", async () => {
  await set({ siteKeys: [], allowedOrigins: [], edgeTools: ["nowhere"], sessionsPerMinute: 1 });
  expect(await sessionStatus("test-site")).toBe(403);
  await bindings.DB.prepare("UPDATE sites SET settings = 'not JSON' WHERE id = 'default'").run();
  expect(await show()).toMatchObject({ disabledAt: expect.any(String), stored: [] });
  expect(await sessionStatus("test-site")).toBe(403);
  expect((await call("GET", "/v1/trainer/control", asTrainer)).status).toBe(403);
  expect(await set({ groupSize: 1 })).toMatchObject({ disabledAt: null, stored: ["groupSize"] });
  expect(await sessionStatus("test-site")).toBe(200);
  expect((await call("GET", "/v1/trainer/control", asTrainer)).status).toBe(200);
});
