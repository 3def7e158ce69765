import type { PoliciesResponse, PolicyManifest, PolicyVersion } from "@waggle/protocol";
import { sha256 } from "@waggle/protocol";
import {
  asOperator,
  ask,
  asTrainer,
  call,
  freshEdge,
  makePublication,
  openSession,
  publish,
  putBytes,
} from "../testing/edge.ts";
import { beforeEach, describe, expect, test } from "vitest";

let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
});

const manifest = async (channel: string) =>
  (await ask<PolicyManifest>("GET", `/v1/policies/${channel}`)).policy.version;
const turn = (version: number, verb: "promote" | "roll-back") =>
  call("POST", `/v1/trainer/policies/${version}/${verb}`, asTrainer);
const statuses = async () =>
  (await ask<PoliciesResponse>("GET", "/v1/trainer/policies", asTrainer)).policies.map(
    (policy) => `${policy.version} ${policy.status}`,
  );

describe("channels", () => {
  test("serve the base until something is published", async () => {
    expect([await manifest("stable"), await manifest("canary")]).toEqual([0, 0]);
    expect((await call("GET", "/v1/policies/nightly")).status).toBe(404);
  });

  test("serve a published version to the canary, and to everyone after its promotion", async () => {
    await publish(1, baseModel);
    expect([await manifest("stable"), await manifest("canary")]).toEqual([0, 1]);
    expect((await turn(1, "promote")).status).toBe(200);
    expect([await manifest("stable"), await manifest("canary")]).toEqual([1, 1]);
    expect(await statuses()).toEqual(["1 stable", "0 retired"]);
    expect((await turn(1, "promote")).status).toBe(200);
  });

  test("return to stable after a canary is rolled back, which then cannot be promoted", async () => {
    await publish(1, baseModel);
    await turn(1, "roll-back");
    expect([await manifest("stable"), await manifest("canary")]).toEqual([0, 0]);
    expect(await turn(1, "promote")).toMatchObject({
      status: 409,
      body: { error: { code: "CONFLICT" } },
    });
  });

  test("return to the previously promoted version after a stable one is rolled back", async () => {
    for (const version of [1, 2]) {
      await publish(version, baseModel);
      await turn(version, "promote");
    }
    await publish(3, baseModel);
    await turn(2, "roll-back");
    // Version 3 was trained from version 2.
    expect([await manifest("stable"), await manifest("canary")]).toEqual([1, 1]);
    await turn(1, "roll-back");
    expect(await manifest("stable")).toBe(0);
    expect((await turn(0, "roll-back")).status).toBe(409);
  });

  test("drop an unpromoted canary when a newer one is published", async () => {
    await publish(1, baseModel);
    await publish(2, baseModel);
    expect(await statuses()).toEqual(["2 canary", "1 rolled-back", "0 stable"]);
  });

  test("let the operator, but not a page, roll back a policy", async () => {
    await publish(1, baseModel);
    const { token } = await openSession();
    expect((await call("POST", "/v1/operator/policies/1/roll-back", { token })).status).toBe(401);
    const back: PolicyVersion = await ask("POST", "/v1/operator/policies/1/roll-back", asOperator);
    expect(back.status).toBe("rolled-back");
  });
});

describe("publishing", () => {
  const post = (body: object) => call("POST", "/v1/trainer/policies", { ...asTrainer, body });

  test("returns the same version for a repeated publication, and a conflict for another adapter", async () => {
    const body = await makePublication(baseModel);
    expect(await post(body)).toMatchObject({ status: 200, body: { version: 1 } });
    expect(await post(body)).toMatchObject({ status: 200, body: { version: 1 } });
    const other = await putBytes(new TextEncoder().encode("other"));
    const reply = await post({ ...body, adapter: { ...body.adapter, ...other } });
    expect(reply).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
    expect(await statuses()).toEqual(["1 canary", "0 stable"]);
  });

  test("refuses an adapter that was not stored, another base and an unknown parent", async () => {
    const good = await makePublication(baseModel);
    for (const bad of [
      { ...good, adapter: { ...good.adapter, sha256: "1".repeat(64) } },
      { ...good, adapter: { ...good.adapter, sizeBytes: 80 } },
      { ...good, baseModel: "2".repeat(64) },
    ]) {
      expect((await post(bad)).status).toBe(409);
    }
    expect((await post({ ...good, parent: 7 })).status).toBe(404);
    expect(await statuses()).toEqual(["0 stable"]);
  });

  test("refuses text without an evaluation unless the publisher asks for it, and an adapter always", async () => {
    const guidance = await putBytes(new TextEncoder().encode("text"));
    const text = { adapter: null, guidance, evaluation: null, step: 0 };
    const body = await makePublication(baseModel, text);
    const refused = await post(body);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "GATE_NOT_PASSED" } } });
    expect(JSON.stringify(refused.body)).toMatch(/withoutEvaluation.*--without-evaluation/);
    const { adapter } = await makePublication(baseModel);
    const trained = { ...body, adapter, withoutEvaluation: true };
    expect(await post(trained)).toMatchObject({
      status: 409,
      body: { error: { code: "GATE_NOT_PASSED" } },
    });
    expect(await statuses()).toEqual(["0 stable"]);
  });

  test("allows an unevaluated text over the parent's adapter as canary, and as stable only by the operator", async () => {
    const guidance = await putBytes(new TextEncoder().encode("text"));
    const text = { adapter: null, guidance, evaluation: null, withoutEvaluation: true, step: 0 };
    const body = await makePublication(baseModel, text);
    const other = { ...guidance, sha256: "1".repeat(64) };
    expect((await post({ ...body, guidance: other })).status).toBe(409);
    expect((await post({ ...body, guidance: undefined })).status).toBe(400);
    expect((await post({ ...body, guidance: { ...guidance, sizeBytes: 2 ** 30 } })).status).toBe(
      400,
    );
    expect(await post(body)).toMatchObject({ status: 200, body: { guidance, adapter: null } });
    expect((await post(body)).status).toBe(200);
    const another = await putBytes(new TextEncoder().encode("another"));
    expect((await post({ ...body, guidance: another })).status).toBe(409);
    expect(await turn(1, "promote")).toMatchObject({
      body: { error: { code: "GATE_NOT_PASSED" } },
    });
    await ask("POST", "/v1/operator/policies/1/promote", {
      ...asOperator,
      body: { withoutEvaluation: true },
    });
    const { policy } = await ask<PolicyManifest>("GET", "/v1/policies/stable");
    expect(policy).toMatchObject({ version: 1, guidance });
    await turn(1, "roll-back");
    const back = await ask<PolicyManifest>("GET", "/v1/policies/stable");
    expect(back.policy).not.toHaveProperty("guidance");
  });

  test("allows to register the same base model again, but no other after a publication", async () => {
    const files = [{ path: "config.json", ...(await putBytes(new TextEncoder().encode("[]"))) }];
    const body = { baseModel: { sha256: "3".repeat(64), files }, vocabularySize: 10 };
    await publish(1, baseModel);
    const reply = await call("PUT", "/v1/trainer/base-model", { ...asTrainer, body });
    expect(reply.status).toBe(409);
    expect(reply.body).toMatchObject({
      error: { message: expect.stringMatching(/another base model.*trajectories or later/) },
    });
    expect(await statuses()).toEqual(["1 canary", "0 stable"]);
  });
});

describe("manifests", () => {
  test("that have not changed are answered with 304, changed ones with their body", async () => {
    const { token } = await openSession();
    const first = await call("GET", "/v1/policy", { token });
    const etag = first.headers.get("etag") ?? "";
    const headers = { "if-none-match": etag };
    expect((await call("GET", "/v1/policy", { token, headers })).status).toBe(304);
    await publish(1, baseModel);
    await turn(1, "promote");
    const changed = await call("GET", "/v1/policy", { token, headers });
    expect(changed).toMatchObject({ status: 200, body: { policy: { version: 1 } } });
    expect(changed.headers.get("etag")).not.toBe(etag);
  });

  test("name the base model's files by hash", async () => {
    const { baseModel: base } = await ask<PolicyManifest>("GET", "/v1/policies/stable");
    expect(base.sha256).toBe(baseModel);
    const file = base.files[0];
    const bytes = await call("GET", `/v1/objects/${file?.sha256}`);
    expect(await sha256(String(bytes.body))).toBe(file?.sha256);
  });
});

describe("objects", () => {
  test("with another hash than their path are refused and not stored", async () => {
    const address = "4".repeat(64);
    const reply = await call("PUT", `/v1/trainer/objects/${address}`, { ...asTrainer, raw: "x" });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: "DIGEST_MISMATCH" } } });
    expect((await call("GET", `/v1/objects/${address}`)).status).toBe(404);
  });

  test("are immutable for caches and support range requests", async () => {
    const { sha256: hash } = await putBytes(new TextEncoder().encode("0123456789"));
    const whole = await call("GET", `/v1/objects/${hash}`);
    expect(whole.body).toBe("0123456789");
    expect(whole.headers.get("cache-control")).toContain("immutable");
    const part = await call("GET", `/v1/objects/${hash}`, { headers: { range: "bytes=2-4" } });
    expect(part).toMatchObject({ status: 206, body: "234" });
    expect(part.headers.get("content-range")).toBe("bytes 2-4/10");
  });

  test("do not include trajectories", async () => {
    const reply = await call("GET", "/v1/objects/..%2Ftrajectories%2Fx");
    expect(reply.status).toBe(404);
  });
});

test("a path whose version is not a number of at most nine digits names no policy", async () => {
  for (const version of ["one", "-1", "1.5", "1234567890"]) {
    const reply = await call("POST", `/v1/trainer/policies/${version}/promote`, asTrainer);
    expect(reply).toMatchObject({ status: 404, body: { error: { code: "NOT_FOUND" } } });
    expect(JSON.stringify(reply.body)).toContain("not a number");
  }
});
