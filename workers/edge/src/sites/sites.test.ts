/** Sites as an operator manages them, and as pages and trainers meet them. */
import {
  DEFAULT_SITE,
  type Site,
  SITE_HEADER,
  type SitesResponse,
  type SitesToTrainResponse,
} from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import {
  ask,
  asOperator,
  asTrainer,
  bindings,
  call,
  freshEdge,
  openSession,
  putBytes,
} from "../testing/edge.ts";
import { signToken } from "../session-token.ts";
import { siteDatabase } from "./site-database.ts";
import { makeSite, openSite, putText, registerBase, type TestSite } from "../testing/sites.ts";

let desk: TestSite;

beforeEach(async () => {
  await freshEdge();
  desk = await makeSite("desk");
});

const change = (settings: object) =>
  call("PUT", "/v1/operator/sites/desk", { ...asOperator, body: { settings } });

test("the list begins with the site of the Worker's variables and has what each site sets itself", async () => {
  const { sites } = await ask<SitesResponse>("GET", "/v1/operator/sites", asOperator);
  expect(sites).toMatchObject([
    { id: DEFAULT_SITE, createdAt: null, settings: { siteKeys: ["test-site"], groupSize: 3 } },
    { id: "desk", name: "desk", disabledAt: null, settings: { groupSize: 1 } },
  ]);
  expect(sites[1]?.settings).not.toHaveProperty("canaryShare");
});

test("the trainer of the installation lists the enabled sites without their settings, and one of a site does not", async () => {
  await makeSite("closed");
  await makeSite("idle", { taskEnvironment: undefined });
  await call("PUT", "/v1/operator/sites/closed/disabled", asOperator);
  const baseModel = await registerBase(desk);
  const { sites } = await ask<SitesToTrainResponse>("GET", "/v1/trainer/sites", asTrainer);
  expect(sites).toEqual([
    { id: DEFAULT_SITE, environment: "rooms", baseModel: expect.any(String) },
    { id: "desk", environment: "tasks-of-desk", baseModel },
    { id: "idle", environment: null, baseModel: null },
  ]);
  const refused = await call("GET", "/v1/trainer/sites", desk.trainer);
  expect(refused).toMatchObject({ status: 403, body: { error: { code: "FORBIDDEN" } } });
  expect((await call("GET", "/v1/trainer/sites", asOperator)).status).toBe(401);
});

test("no site has the id that means every site", async () => {
  const refused = await call("POST", "/v1/operator/sites", { ...asOperator, body: { id: "all" } });
  expect(refused).toMatchObject({ status: 400, body: { error: { code: "SCHEMA_INVALID" } } });
});

test("a setting that is changed holds at once, and one that is removed is the Worker's again", async () => {
  await registerBase(desk);
  const { token } = await openSite(desk);
  const control = () => ask("GET", "/v1/operator/control", desk.operator);
  expect(await control()).toMatchObject({ site: "desk", environment: "tasks-of-desk" });
  expect((await change({ taskEnvironment: "forms", gateMinTasks: 7 })).status).toBe(200);
  expect(await control()).toMatchObject({ environment: "forms" });
  const gate = async () =>
    (await ask<{ gate: { minTasks: number } }>("GET", "/v1/operator/policies", desk.operator)).gate;
  expect(await gate()).toMatchObject({ minTasks: 7 });
  await change({ gateMinTasks: null, taskEnvironment: null });
  expect(await gate()).toMatchObject({ minTasks: 64 });
  // A site without an environment assigns no tasks; it does not get those of another site.
  expect((await call("POST", "/v1/assignments", { token })).status).toBe(204);
});

test.each(['{"groupSize":"many"}', "not JSON"])(
  "a site whose stored settings are %s is disabled, and the others are served",
  async (settings) => {
    const other = await makeSite("other");
    await bindings.DB.prepare("UPDATE sites SET settings = ?1 WHERE id = 'desk'")
      .bind(settings)
      .run();
    // Reads the sites anew.
    expect(await ask<Site>("GET", "/v1/operator/sites/desk", asOperator)).toMatchObject({
      disabledAt: expect.any(String),
    });
    expect((await call("GET", "/v1/operator/control", desk.operator)).status).toBe(403);
    expect((await openSite(other)).token).toBeTypeOf("string");
    expect((await openSession()).token).toBeTypeOf("string");
  },
);

test.each([
  [{ groupSize: 0 }, 400, "SCHEMA_INVALID"],
  [{ color: "red" }, 400, "SCHEMA_INVALID"],
  [{ siteKeys: ["test-site"] }, 409, "CONFLICT"],
  [{ siteKeys: ["key-of-other"] }, 409, "CONFLICT"],
])("a change to %j is refused and changes nothing", async (settings, status, code) => {
  await makeSite("other");
  const before = await ask<Site>("GET", "/v1/operator/sites/desk", asOperator);
  const reply = await change(settings);
  expect(reply).toMatchObject({ status, body: { error: { code } } });
  expect(await ask<Site>("GET", "/v1/operator/sites/desk", asOperator)).toEqual(before);
});

test("an id is used once", async () => {
  for (const id of ["desk", DEFAULT_SITE]) {
    const again = await call("POST", "/v1/operator/sites", { ...asOperator, body: { id } });
    expect(again).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
  }
  expect((await call("GET", "/v1/operator/sites/nowhere", asOperator)).status).toBe(404);
});

test("a credential that was replaced opens nothing, and the new one the site; only hashes are stored", async () => {
  const { credential } = await ask<{ credential: string }>(
    "POST",
    "/v1/operator/sites/desk/credentials",
    { ...asOperator, body: { role: "trainer" } },
  );
  const control = (token: string) => call("GET", "/v1/trainer/control", { token });
  expect((await control(desk.trainer.token)).status).toBe(401);
  expect(await control(credential)).toMatchObject({ status: 200, body: { site: "desk" } });
  expect((await call("GET", "/v1/operator/control", { token: credential })).status).toBe(401);
  const rows = JSON.stringify(await bindings.DB.prepare("SELECT * FROM sites").all());
  expect(rows).not.toContain(credential);
  expect(rows).not.toContain(desk.operator.token);
});

test("a disabled site opens no session and refuses its tokens and credentials until it is enabled", async () => {
  const { token } = await openSite(desk);
  const path = "/v1/operator/sites/desk/disabled";
  expect(await ask("PUT", path, asOperator)).toMatchObject({ disabledAt: expect.any(String) });
  const statuses = async () => [
    (await call("POST", "/v1/sessions", { body: { siteKey: desk.siteKey } })).status,
    (await call("POST", "/v1/assignments", { token })).status,
    (await call("GET", "/v1/trainer/control", desk.trainer)).status,
    (await call("GET", "/v1/operator/control", desk.operator)).status,
  ];
  expect(await statuses()).toEqual([403, 403, 403, 403]);
  // The installation's operator still exports and deletes.
  const headers = { [SITE_HEADER]: "desk" };
  const summary = await call("GET", "/v1/operator/control", { ...asOperator, headers });
  expect(summary).toMatchObject({ status: 200, body: { site: "desk" } });
  await ask("DELETE", path, asOperator);
  expect(await statuses()).toEqual([200, 200, 200, 200]);
});

test("the installation's credentials open every site by the header, and name `default` without it", async () => {
  const site = async (headers: Record<string, string>) =>
    (await call("GET", "/v1/trainer/control", { ...asTrainer, headers })).body;
  expect(await site({})).toMatchObject({ site: DEFAULT_SITE, environment: "rooms" });
  expect(await site({ [SITE_HEADER]: "desk" })).toMatchObject({ site: "desk" });
  expect(await site({ [SITE_HEADER]: "nowhere" })).toMatchObject({ error: { code: "NOT_FOUND" } });
});

test("a preflight passes for pages of any site, and a response is readable by pages of its site", async () => {
  const allowed = async (method: string, path: string, origin: string, token?: string) => {
    const preflight = { "access-control-request-method": "GET" };
    const reply = await call(method, path, {
      ...(token === undefined ? {} : { token }),
      headers: { origin, ...(method === "OPTIONS" ? preflight : {}) },
    });
    return reply.headers.get("access-control-allow-origin");
  };
  const origin = "https://site.example";
  const own = "https://desk.example";
  expect(await allowed("OPTIONS", "/v1/policy", own)).toBe(own);
  expect(await allowed("OPTIONS", "/v1/policy", origin)).toBe(origin);
  expect(await allowed("OPTIONS", "/v1/policy", "https://evil.example")).toBeNull();
  await registerBase(desk);
  const { token } = await openSite(desk);
  expect(await allowed("GET", "/v1/policy", own, token)).toBe(own);
  expect(await allowed("GET", "/v1/policy", origin, token)).toBeNull();
  const session = await openSession();
  expect(await allowed("GET", "/v1/policy", origin, session.token)).toBe(origin);
  expect(await allowed("GET", "/v1/policy", own, session.token)).toBeNull();
});

test("a token of the release before there were sites belongs to the Worker's site", async () => {
  const { visitorId } = await openSession();
  const [, payload = ""] = (
    await signToken(
      "waggle-session",
      { site: DEFAULT_SITE, visitorId },
      900,
      bindings.SESSION_SECRET,
      Date.now(),
    )
  ).split(".");
  const { site: _, ...old } = JSON.parse(atob(payload)) as { site: string };
  const encode = (value: object) =>
    btoa(JSON.stringify(value)).replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(old)}`;
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey(
    "raw",
    encoder.encode(bindings.SESSION_SECRET),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
  const signature = btoa(String.fromCodePoint(...bytes))
    .replaceAll("=", "")
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  const reply = await call("POST", "/v1/assignments", { token: `${text}.${signature}` });
  expect(reply).toMatchObject({ status: 200, body: { task: { environment: "rooms" } } });
});

test("a page reads an object of any site by its hash, and a trainer asks for its own site's", async () => {
  const bytes = new TextEncoder().encode("bytes of both");
  const { sha256 } = await putBytes(bytes);
  const path = `/v1/objects/${sha256}`;
  expect((await call("GET", path)).body).toBe("bytes of both");
  expect((await call("GET", path, asTrainer)).status).toBe(200);
  // Otherwise this trainer would not send it, and could not register it.
  expect((await call("GET", path, desk.trainer)).status).toBe(404);
  const own = await putText(desk, "bytes of the desk");
  expect((await call("GET", `/v1/objects/${own.sha256}`)).body).toBe("bytes of the desk");
  expect((await call("GET", `/v1/objects/${own.sha256}`, asTrainer)).status).toBe(404);
});

test("a statement that does not name its site is a fault", () => {
  const { prepare } = siteDatabase(bindings.DB, "desk");
  expect(() => prepare("SELECT * FROM trajectories")).toThrow("does not name its site");
});
