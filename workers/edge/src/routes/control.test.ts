import {
  ACCEPT_SILENCE,
  type AuditResponse,
  type ControlState,
  type ErrorBody,
  OPERATOR_NAME_HEADER,
  type PoliciesResponse,
  type PolicyManifest,
} from "@waggle/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { fault } from "../../../../test/fixtures/fault.ts";
import {
  asOperator,
  ask,
  asTrainer,
  call,
  freshEdge,
  openSession,
  publish,
} from "../testing/edge.ts";

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

const as = (name: string) => ({
  ...asOperator,
  headers: { [OPERATOR_NAME_HEADER]: encodeURIComponent(name) },
});
const control = () => ask<ControlState>("GET", "/v1/trainer/control", asTrainer);
const audit = async (query = "") =>
  (await ask<AuditResponse>("GET", `/v1/operator/audit${query}`, asOperator)).entries;
const kill = (mode: string, reason = "") =>
  call("PUT", "/v1/operator/kill-switch", { ...as("Zoë"), body: { mode, reason } });

describe("the switches", () => {
  test("start off, and the trainer reads which environment is assigned", async () => {
    expect(await control()).toEqual({
      site: "default",
      environment: "rooms",
      collect: "full",
      feedbackWaitSeconds: 0,
      feedbackFrom: ["thumb"],
      signals: [{ signal: "verifier", stopped: null }],
      frozen: null,
      killed: null,
    });
  });

  test("are set and lifted by the operator, with name, time and reason in the log", async () => {
    await ask("PUT", "/v1/operator/freeze", { ...as("Zoë"), body: { reason: "sale week" } });
    expect((await control()).frozen).toMatchObject({ by: "Zoë", reason: "sale week" });
    expect((await kill("silence", "rude answers")).status).toBe(200);
    await ask("DELETE", "/v1/operator/kill-switch", asOperator);
    await ask("DELETE", "/v1/operator/freeze", as("Zoë"));
    expect(await control()).toMatchObject({ frozen: null, killed: null });
    expect((await audit()).map(({ by, action, reason }) => [by, action, reason])).toEqual([
      ["Zoë", "unfreeze", ""],
      ["operator", "kill-switch-off", ""],
      ["Zoë", "kill-switch-on", "silence: rude answers"],
      ["Zoë", "freeze", "sale week"],
    ]);
    const [newest] = await audit("?limit=1");
    expect(await audit(`?before=${newest?.id}`)).toHaveLength(3);
    expect(Date.now() - Date.parse(newest?.at ?? "")).toBeLessThan(60_000);
  });

  test("let the trainer freeze but not lift anything, and log a repeated freeze once", async () => {
    const request = { ...asTrainer, body: { reason: "live success fell" } };
    await ask("PUT", "/v1/trainer/freeze", request);
    await ask("PUT", "/v1/trainer/freeze", request);
    expect(await audit()).toMatchObject([{ by: "trainer", action: "freeze" }]);
    expect((await call("DELETE", "/v1/trainer/freeze", asTrainer)).status).toBe(405);
    expect((await call("DELETE", "/v1/operator/freeze", asTrainer)).status).toBe(401);
    expect((await control()).frozen?.by).toBe("trainer");
  });

  test("accept no operator name that imitates the trainer or has control characters", async () => {
    await ask("PUT", "/v1/operator/freeze", { ...as("trainer"), body: { reason: "" } });
    await ask("DELETE", "/v1/operator/freeze", as(`a\nb${"c".repeat(100)}`));
    const [second, first] = await audit();
    expect(first?.by).toBe("operator");
    expect(second?.by).toBe(`a b${"c".repeat(61)}`);
  });

  test("refuse an unknown mode, a long reason and a bad query", async () => {
    expect((await kill("everything")).status).toBe(400);
    expect((await kill("base", "x".repeat(501))).status).toBe(400);
    expect((await call("GET", "/v1/operator/audit?limit=0", asOperator)).status).toBe(400);
    expect(await audit()).toEqual([]);
  });
});

describe("the kill switch", () => {
  const manifestFor = async (headers: Record<string, string> = {}) => {
    const { token } = await openSession();
    return ask<PolicyManifest>("GET", "/v1/policy", { token, headers });
  };

  beforeEach(async () => {
    await publish(1, baseModel);
    await ask("POST", "/v1/trainer/policies/1/promote", asTrainer);
  });

  const bad = "a bad version is stable and the operator wants every page off it at once";
  const beforeKill = "no switch: 1 roll-back by hand for each earlier version that is bad, too";
  fault(bad, { item: "7.2", before: beforeKill }, async () => {
    expect((await manifestFor()).policy.version).toBe(1);
    await kill("base");
    const manifest = await manifestFor({ accept: ACCEPT_SILENCE });
    expect([manifest.policy.version, manifest.silenced]).toEqual([0, undefined]);
    await ask("DELETE", "/v1/operator/kill-switch", asOperator);
    const restored = (await manifestFor()).policy.version;
    expect(restored).toBe(1);
    const entries = await audit();
    return {
      after: `1 call: pages get version ${manifest.policy.version}, then ${restored} again; ${entries.length} audit entries`,
    };
  });

  test("silences pages that understand it; older pages get the base", async () => {
    const { token } = await openSession();
    const before = await call("GET", "/v1/policy", { token });
    await kill("silence");
    const headers = { "if-none-match": before.headers.get("etag") ?? "" };
    expect((await call("GET", "/v1/policy", { token, headers })).status).toBe(200);
    const silenced = await manifestFor({ accept: ACCEPT_SILENCE });
    expect([silenced.policy.version, silenced.silenced]).toEqual([0, true]);
    const old = await manifestFor();
    expect(Object.keys(old)).toEqual(["channel", "policy", "baseModel"]);
    expect(old.policy.version).toBe(0);
  });
});

describe("a freeze", () => {
  const status = async (version: number) =>
    (await ask<PoliciesResponse>("GET", "/v1/operator/policies", asOperator)).policies.find(
      (policy) => policy.version === version,
    )?.status;

  const title = "the operator freezes promotions while the trainer publishes";
  fault(title, { item: "7.2", before: "no freeze: 1 of 1 canary was promoted" }, async () => {
    await publish(1, baseModel);
    await ask("PUT", "/v1/operator/freeze", { ...as("Zoë"), body: { reason: "sale week" } });
    const refused = await call("POST", "/v1/trainer/policies/1/promote", asTrainer);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "FROZEN" } } });
    expect((refused.body as ErrorBody).error.message).toMatch(/^Zoë froze promotions at /);
    await expect(publish(2, baseModel)).rejects.toThrow(/FROZEN/);
    expect((await call("POST", "/v1/operator/policies/1/promote", as("Zoë"))).status).toBe(409);
    expect(await status(1)).toBe("canary");
    await ask("DELETE", "/v1/operator/freeze", as("Zoë"));
    await ask("POST", "/v1/trainer/policies/1/promote", asTrainer);
    expect(await status(1)).toBe("stable");
    return { after: "0 of 1 canary was promoted while frozen, 1 of 1 after the freeze" };
  });

  test("does not prevent a rollback", async () => {
    await publish(1, baseModel);
    await ask("PUT", "/v1/trainer/freeze", { ...asTrainer, body: { reason: "drift" } });
    await ask("POST", "/v1/trainer/policies/1/roll-back", {
      ...asTrainer,
      body: { reason: "drift" },
    });
    expect(await status(1)).toBe("rolled-back");
    expect((await audit()).map(({ by, action, version }) => [by, action, version])).toEqual([
      ["trainer", "roll-back", 1],
      ["trainer", "freeze", null],
      ["trainer", "publish", 1],
    ]);
  });
});

describe("promoting an earlier version", () => {
  const promote = (version: number, body: object = {}) =>
    call("POST", `/v1/operator/policies/${version}/promote`, { ...as("Zoë"), body });
  const stable = async () =>
    (await ask<PoliciesResponse>("GET", "/v1/operator/policies", asOperator)).stable;

  beforeEach(async () => {
    for (const version of [1, 2]) {
      await publish(version, baseModel);
      await ask("POST", `/v1/trainer/policies/${version}/promote`, asTrainer);
    }
  });

  test("is allowed for the operator, including the base, and refused for the trainer", async () => {
    expect((await call("POST", "/v1/trainer/policies/1/promote", asTrainer)).status).toBe(409);
    expect((await promote(1, { reason: "2 is rude" })).status).toBe(200);
    expect(await stable()).toBe(1);
    expect(await audit("?limit=1")).toMatchObject([
      { by: "Zoë", action: "promote", version: 1, reason: "2 is rude" },
    ]);
    expect((await promote(0)).status).toBe(200);
    expect(await stable()).toBe(0);
    expect((await promote(2)).status).toBe(200);
    expect(await stable()).toBe(2);
  });

  test("requires an explicit override for a version that was rolled back", async () => {
    await ask("POST", "/v1/operator/policies/2/roll-back", as("Zoë"));
    expect(await stable()).toBe(1);
    expect(await promote(2)).toMatchObject({
      status: 409,
      body: { error: { code: "CONFLICT", message: expect.stringContaining("was rolled back") } },
    });
    expect((await promote(2, { rolledBack: true })).status).toBe(200);
    expect(await stable()).toBe(2);
  });
});
