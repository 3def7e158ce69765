/** Credentials and secrets are replaced while a page, a trainer and an operator are connected. */
import { createExecutionContext } from "cloudflare:test";
import type { RotateCredentialResponse, SessionResponse } from "@waggle/protocol";
import { beforeEach, expect, test } from "vitest";
import { siteOfCredential } from "../sites/site-directory.ts";
import { ask, asOperator, bindings, call, freshEdge, ORIGIN } from "../testing/edge.ts";
import { makeSite } from "../testing/sites.ts";
import worker from "../testing/worker.ts";

beforeEach(async () => {
  await freshEdge();
});

const NEXT = {
  SESSION_SECRET: "the next secret of the tests, 40 letters",
  TRAINER_CREDENTIAL: "the-next-credential-of-trainers",
  OPERATOR_CREDENTIAL: "the-next-credential-of-operators",
};

test("page, trainer and operator stay connected while all secrets of the installation are replaced", async () => {
  const first: object = bindings;
  const overlap: object = {
    ...bindings,
    ...NEXT,
    SESSION_SECRET_PREVIOUS: bindings.SESSION_SECRET,
    TRAINER_CREDENTIAL_PREVIOUS: bindings.TRAINER_CREDENTIAL,
    OPERATOR_CREDENTIAL_PREVIOUS: bindings.OPERATOR_CREDENTIAL,
  };
  const last: object = { ...bindings, ...NEXT };
  const statusOf = async (env: object, path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request(ORIGIN + path, { headers });
    return (await worker.fetch(request, env as never, createExecutionContext())).status;
  };
  const open = async (env: object, visitorToken?: string) => {
    const body = JSON.stringify({ siteKey: "test-site", visitorToken });
    const headers = { "content-type": "application/json" };
    const request = new Request(`${ORIGIN}/v1/sessions`, { method: "POST", headers, body });
    const response = await worker.fetch(request, env as never, createExecutionContext());
    return (await response.json()) as SessionResponse;
  };
  const [trainer, operator] = ["/v1/trainer/control", "/v1/operator/control"];
  const page = await open(first);
  for (const env of [first, overlap]) {
    expect(await statusOf(env, "/v1/policy", page.token)).toBe(200);
    expect(await statusOf(env, trainer, bindings.TRAINER_CREDENTIAL)).toBe(200);
    expect(await statusOf(env, operator, bindings.OPERATOR_CREDENTIAL)).toBe(200);
  }
  // They get the next ones while both are valid.
  const renewed = await open(overlap, page.visitorToken);
  expect(renewed.visitorId).toBe(page.visitorId);
  for (const env of [overlap, last]) {
    expect(await statusOf(env, "/v1/policy", renewed.token)).toBe(200);
    expect(await statusOf(env, trainer, NEXT.TRAINER_CREDENTIAL)).toBe(200);
    expect(await statusOf(env, operator, NEXT.OPERATOR_CREDENTIAL)).toBe(200);
  }
  expect(await statusOf(last, "/v1/policy", page.token)).toBe(401);
  expect(await statusOf(last, trainer, bindings.TRAINER_CREDENTIAL)).toBe(401);
  expect(await statusOf(last, operator, bindings.OPERATOR_CREDENTIAL)).toBe(401);
  // A previous credential keeps its role.
  expect(await statusOf(overlap, operator, bindings.TRAINER_CREDENTIAL)).toBe(401);
});

test("a site's previous credential works for as long as the operator says, and the one before it does not", async () => {
  const desk = await makeSite("desk");
  const rotate = async (body: object) => {
    const path = "/v1/operator/sites/desk/credentials";
    const { credential } = await ask<RotateCredentialResponse>("POST", path, {
      ...asOperator,
      body: { role: "trainer", ...body },
    });
    return { token: credential };
  };
  const statuses = (...all: { token: string }[]) =>
    Promise.all(all.map(async (given) => (await call("GET", "/v1/trainer/control", given)).status));
  expect(await statuses(desk.trainer)).toEqual([200]);
  const second = await rotate({ overlapHours: 24 });
  // An isolate keeps the sites for five seconds. Reading a site reads them anew.
  await ask("GET", "/v1/operator/sites/desk", asOperator);
  expect(await statuses(desk.trainer, second)).toEqual([200, 200]);
  expect((await call("GET", "/v1/operator/control", desk.trainer)).status).toBe(401);
  const third = await rotate({ overlapHours: 24 });
  await ask("GET", "/v1/operator/sites/desk", asOperator);
  expect(await statuses(desk.trainer, second, third)).toEqual([401, 200, 200]);
  const fourth = await rotate({});
  await ask("GET", "/v1/operator/sites/desk", asOperator);
  expect(await statuses(second, third, fourth)).toEqual([401, 401, 200]);
});

test("the previous credential of a site ends at its time", () => {
  const previousCredentials = { trainer: { hash: "old", until: 1000 } };
  const stored = { trainerCredential: "new", previousCredentials };
  const sites = new Map([["desk", { id: "desk", stored }]]) as never;
  const found = (hash: string, now: number) =>
    siteOfCredential({ sites, byKey: new Map() }, "trainer", hash, now)?.id ?? null;
  expect(["old", "new", "other"].map((hash) => found(hash, 999))).toEqual(["desk", "desk", null]);
  expect(found("old", 1000)).toBeNull();
});
