import { DEFAULT_SITE } from "@waggle/protocol";
import worker from "../testing/worker.ts";
import { channelOf, signToken } from "../session-token.ts";
import { readSettings } from "../settings.ts";
import { assign, bindings, call, freshEdge, openSession, ORIGIN } from "../testing/edge.ts";
import { createExecutionContext, SELF } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";

beforeEach(async () => {
  await freshEdge();
});

test("an unknown site key opens no session", async () => {
  const reply = await call("POST", "/v1/sessions", { body: { siteKey: "stolen" } });
  expect(reply).toMatchObject({ status: 403, body: { error: { code: "SITE_UNKNOWN" } } });
});

test("a visitor token keeps the visitor; a forged or foreign one creates a new visitor", async () => {
  const first = await openSession();
  const again = await openSession(first.visitorToken);
  expect(again.visitorId).toBe(first.visitorId);
  expect(again.channel).toBe(first.channel);
  const secret = "another secret that has at least 32 letters";
  const forged = await signToken(
    "waggle-visitor",
    { site: DEFAULT_SITE, visitorId: first.visitorId },
    900,
    secret,
    Date.now(),
  );
  expect((await openSession(forged)).visitorId).not.toBe(first.visitorId);
  expect((await openSession(first.token)).visitorId).not.toBe(first.visitorId);
});

test("a session token expires at its stated time", async () => {
  const before = Date.now();
  const { expiresAt, token } = await openSession();
  const seconds = (Date.parse(expiresAt) - before) / 1000;
  expect(seconds).toBeGreaterThan(890);
  expect(seconds).toBeLessThan(910);
  expect((await call("GET", "/v1/policy", { token })).status).toBe(200);
});

test("a visitor's channel is sticky, and the canary share matches the setting", async () => {
  const ids = Array.from({ length: 400 }, () => crypto.randomUUID());
  const channels = await Promise.all(ids.map((id) => channelOf(id, 0.25)));
  expect(await Promise.all(ids.map((id) => channelOf(id, 0.25)))).toEqual(channels);
  const canaries = channels.filter((channel) => channel === "canary").length;
  // 100 expected, standard deviation 8.7.
  expect(canaries).toBeGreaterThan(60);
  expect(canaries).toBeLessThan(140);
  expect(await channelOf(ids[0] ?? "", 0)).toBe("stable");
  expect(await channelOf(ids[0] ?? "", 1)).toBe("canary");
});

test("a visitor who sends too many requests is told to wait, others are not", async () => {
  const { token } = await openSession();
  const other = (await openSession()).token;
  const replies = await Promise.all(
    Array.from({ length: 410 }, () => call("GET", "/v1/policy", { token })),
  );
  const limited = replies.filter((reply) => reply.status === 429);
  expect(limited).toHaveLength(10);
  expect(limited[0]?.body).toMatchObject({ error: { code: "RATE_LIMITED" } });
  expect((await call("GET", "/v1/policy", { token: other })).status).toBe(200);
});

test("each trajectory of an upload counts against the limit", async () => {
  const { token } = await openSession();
  const bad = { digest: "0".repeat(64), trajectory: {} };
  const body = { trajectories: Array.from({ length: 64 }, () => bad) };
  const statuses: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    statuses.push((await call("POST", "/v1/trajectories", { token, body })).status);
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429]);
  const headers = { origin: "https://site.example" };
  const limited = await call("POST", "/v1/trajectories", { token, body, headers });
  // A page of another origin can only read headers listed here.
  expect(limited.headers.get("access-control-expose-headers")).toContain("Retry-After");
  const seconds = Number(limited.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(60);
});

test("a visitor who only requests tasks is told to wait, while others get theirs", async () => {
  const { token } = await openSession();
  const { UNANSWERED_PER_VISITOR } = readSettings(bindings);
  for (let i = 0; i < UNANSWERED_PER_VISITOR; i += 1) await assign(token);
  const refused = await call("POST", "/v1/assignments", { token });
  expect(refused).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(30);
  await assign((await openSession()).token);
});

test("sessions are limited per network, and another network is not affected", async () => {
  const { SESSIONS_PER_MINUTE } = readSettings(bindings);
  const open = (address: string) =>
    call("POST", "/v1/sessions", {
      body: { siteKey: "test-site" },
      headers: { "cf-connecting-ip": address },
    });
  const replies = await Promise.all(
    Array.from({ length: SESSIONS_PER_MINUTE + 5 }, (_, i) => open(`203.0.113.${i % 250}`)),
  );
  expect(replies.filter(({ status }) => status === 429)).toHaveLength(5);
  expect((await open("198.51.100.1")).status).toBe(200);
});

test("requests are limited per network as well as per visitor", async () => {
  const limited = { ...bindings, PREFIX_RATE_LIMIT_PER_MINUTE: "4" };
  const tokens = await Promise.all(Array.from({ length: 3 }, () => openSession()));
  const ask = (token: string, address: string) =>
    worker.fetch(
      new Request(`${ORIGIN}/v1/policy`, {
        headers: { authorization: `Bearer ${token}`, "cf-connecting-ip": address },
      }),
      limited,
      createExecutionContext(),
    );
  const statuses: number[] = [];
  for (const [i, { token }] of [...tokens, ...tokens].entries()) {
    statuses.push((await ask(token, `203.0.113.${i}`)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  expect((await ask(tokens[0]?.token ?? "", "198.51.100.1")).status).toBe(200);
});

test("a configured origin may read responses, also of an upload, and another may not", async () => {
  const preflight = (origin: string) =>
    SELF.fetch(`${ORIGIN}/v1/trajectories`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,content-encoding",
      },
    });
  const allowed = await preflight("https://site.example");
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://site.example");
  expect(allowed.headers.get("access-control-allow-headers")).toMatch(/content-encoding/i);
  const refused = await preflight("https://evil.example");
  expect(refused.headers.get("access-control-allow-origin")).toBeNull();
});

test("isolated pages may load responses of the edge, including errors", async () => {
  for (const path of ["/healthz", "/v1/objects/none", "/nowhere"]) {
    const reply = await call("GET", path);
    expect(reply.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  }
});

test("an unserved method gets 405, an unserved path 404", async () => {
  expect(await call("PATCH", "/v1/sessions")).toMatchObject({
    status: 405,
    body: { error: { code: "METHOD_NOT_ALLOWED" } },
  });
  expect(await call("GET", "/nowhere")).toMatchObject({
    status: 404,
    body: { error: { code: "NOT_FOUND" } },
  });
});

test("trainer and operator each need their own credential", async () => {
  const { token } = await openSession();
  const requests: [string, string, string | undefined][] = [
    ["POST", "/v1/trainer/leases", undefined],
    ["POST", "/v1/trainer/leases", bindings.OPERATOR_CREDENTIAL],
    ["POST", "/v1/trainer/leases", token],
    ["GET", "/v1/operator/summary", bindings.TRAINER_CREDENTIAL],
    ["GET", "/v1/operator/summary", `${bindings.OPERATOR_CREDENTIAL}x`],
    ["GET", "/v1/operator/summary", token],
  ];
  for (const [method, path, credential] of requests) {
    const reply = await call(method, path, credential === undefined ? {} : { token: credential });
    expect(reply).toMatchObject({ status: 401, body: { error: { code: "UNAUTHENTICATED" } } });
  }
});
