import { WaggleError } from "@waggle/protocol";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import worker from "./testing/worker.ts";
import { readSettings } from "./settings.ts";
import { bindings } from "./testing/edge.ts";
import { expect, test } from "vitest";

const good = {
  SITE_KEYS: "a, b",
  SESSION_SECRET: "s".repeat(32),
  TRAINER_CREDENTIAL: "t".repeat(16),
  OPERATOR_CREDENTIAL: "o".repeat(16),
  ALLOWED_ORIGINS: "*",
};

test("lists are split and unset variables have their defaults", () => {
  expect(readSettings({ ...good })).toMatchObject({
    SITE_KEYS: ["a", "b"],
    ALLOWED_ORIGINS: ["*"],
    EDGE_TOOLS: [],
    GROUP_SIZE: 8,
    GROUP_DEADLINE_SECONDS: 90,
  });
});

test("each missing or weak secret is named without its value", () => {
  for (const name of Object.keys(good)) {
    const { [name as keyof typeof good]: _, ...lacking } = good;
    expect(() => readSettings(lacking)).toThrow(name);
  }
  const weak = { ...good, SESSION_SECRET: "hunter2" };
  expect(() => readSettings(weak)).toThrow("SESSION_SECRET: must have at least 32 characters");
  expect(() => readSettings(weak)).not.toThrow("hunter2");
});

test("edge tools name sites, and a site whose code the Worker lacks is an error", async () => {
  expect(readSettings({ ...good, EDGE_TOOLS: "rooms" })).toMatchObject({ EDGE_TOOLS: ["rooms"] });
  expect(readSettings({ ...good, EDGE_TOOLS: "" })).toMatchObject({ EDGE_TOOLS: [] });
  const lacking = { ...bindings, EDGE_TOOLS: "rooms, bank" };
  const context = createExecutionContext();
  const response = await worker.fetch(new Request("https://x/healthz"), lacking, context);
  expect(response.status).toBe(500);
  expect(await response.text()).toContain("EDGE_TOOLS names bank");
  await waitOnExecutionContext(context);
});

test("trainer and operator cannot share a credential", () => {
  const shared = { ...good, OPERATOR_CREDENTIAL: good.TRAINER_CREDENTIAL };
  expect(() => readSettings(shared)).toThrow("must differ");
});

test("a Worker without its secrets serves nothing", async () => {
  const lacking = { ...bindings, SESSION_SECRET: undefined };
  const context = createExecutionContext();
  for (const path of ["/healthz", "/openapi.json", "/v1/policies/stable"]) {
    const response = await worker.fetch(new Request(`https://x${path}`), lacking as never, context);
    expect(response.status).toBe(500);
    const body: { error: { code: string; message: string } } = await response.json();
    expect(body.error.message).toContain("SESSION_SECRET");
  }
  await waitOnExecutionContext(context);
  expect(() => readSettings(lacking)).toThrow(WaggleError);
});
