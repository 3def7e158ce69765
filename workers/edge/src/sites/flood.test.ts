/** A flood of one site, or with unknown keys, spends nothing of another site, from the same network. */
import type { SessionResponse } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { ask, call, freshEdge } from "../testing/edge.ts";
import { makeSite, type TestSite } from "../testing/sites.ts";

let flooded: TestSite;
let quiet: TestSite;

beforeEach(async () => {
  await freshEdge();
  flooded = await makeSite("flooded", { sessionsPerMinute: 5, rateLimitPerMinute: 8 });
  quiet = await makeSite("quiet", { sessionsPerMinute: 5, rateLimitPerMinute: 8 });
});

const headers = { "cf-connecting-ip": "203.0.113.9" };
const open = (siteKey: string) => call("POST", "/v1/sessions", { headers, body: { siteKey } });
const times = async (n: number, send: () => Promise<{ status: number }>) => {
  const statuses = await Promise.all(Array.from({ length: n }, async () => (await send()).status));
  return statuses.filter((status) => status === 429).length;
};

test("sessions of one site do not use up those of another", async () => {
  expect(await times(12, () => open(flooded.siteKey))).toBe(7);
  expect(await times(5, () => open(quiet.siteKey))).toBe(0);
  expect((await open("test-site")).status).toBe(200);
});

test("requests with unknown keys are limited, and use up nothing of the site `default`", async () => {
  expect(await times(620, () => open("unknown"))).toBe(20);
  expect((await open("test-site")).status).toBe(200);
});

test("requests of one site's visitor do not use up those of another site's", async () => {
  const tokenOf = async ({ siteKey }: TestSite) =>
    (await ask<SessionResponse>("POST", "/v1/sessions", { headers, body: { siteKey } })).token;
  const [one, other] = [await tokenOf(flooded), await tokenOf(quiet)];
  const assign = (token: string) => () => call("POST", "/v1/assignments", { token, headers });
  expect(await times(20, assign(one))).toBe(12);
  expect(await times(8, assign(other))).toBe(0);
});
