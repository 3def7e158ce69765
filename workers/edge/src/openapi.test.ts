import { CfWorkerJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
import { createApp, endpoints } from "./app.ts";
import {
  asOperator,
  ask,
  assign,
  asTrainer,
  call,
  freshEdge,
  lease,
  makeUpload,
  openSession,
  publish,
  type Reply,
  upload,
} from "./testing/edge.ts";
import { beforeEach, describe, expect, test } from "vitest";

type Json = { [key: string]: unknown };
type Operation = {
  operationId: string;
  responses: { [status: string]: { content?: { [type: string]: { schema: Json } } } };
  security?: Json[];
};
type Description = {
  openapi: string;
  paths: { [path: string]: { [method: string]: Operation } };
  components: { schemas: Json };
};

let api: Description;
let baseModel = "";

beforeEach(async () => {
  baseModel = await freshEdge();
  api = await ask<Description>("GET", "/openapi.json");
});

/** Mismatches between a response and the description; empty if there are none. */
function faults(method: string, path: string, reply: Reply): string {
  const operation = api.paths[path]?.[method];
  if (!operation) return `${method} ${path} is not described`;
  const response = operation.responses[String(reply.status)] ?? operation.responses["default"];
  const schema = response?.content?.["application/json"]?.schema;
  if (!schema) return reply.body === "" ? "" : `${method} ${path} describes no body`;
  const validate = new CfWorkerJsonSchemaValidator().getValidator({
    ...schema,
    components: api.components,
  } as never);
  const result = validate(reply.body);
  return result.valid ? "" : `${method} ${path}: ${result.errorMessage}`;
}

describe("the OpenAPI description", () => {
  test("describes every route that the app serves, and no other", () => {
    const served = createApp([])
      .routes.filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
    const described = Object.entries(api.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method} ${path}`),
    );
    expect([...new Set(served)].sort()).toEqual(described.sort());
  });

  const SCHEMES: { readonly [access: string]: string } = {
    installation: "operator",
    "installation-trainer": "trainer",
  };

  test("names every operation once and states its access", () => {
    const operations = Object.values(api.paths).flatMap((path) => Object.values(path));
    expect(new Set(operations.map((one) => one.operationId)).size).toBe(endpoints.length);
    for (const { path, method, access } of endpoints) {
      const security = api.paths[path]?.[method]?.security;
      expect(security).toEqual(
        access === "public" ? undefined : [{ [SCHEMES[access] ?? access]: [] }],
      );
    }
  });

  test("has no unresolved reference", () => {
    const references = [...JSON.stringify(api).matchAll(/"\$ref":"#\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(50);
    const follow = (pointer: string) =>
      pointer.split("/").reduce<unknown>((at, key) => (at as Json | undefined)?.[key], api);
    const pointers = references.map(([, pointer = ""]) => pointer);
    expect(pointers.filter((pointer) => follow(pointer) === undefined)).toEqual([]);
  });

  test("forbids an upload that the Worker refuses", async () => {
    const { token } = await openSession();
    const example = await makeUpload(baseModel, null);
    const validate = new CfWorkerJsonSchemaValidator().getValidator({
      $ref: "#/components/schemas/UploadRequest",
      components: api.components,
    } as never);
    const { id: _, ...withoutId } = example.trajectory;
    const bad = { trajectories: [{ ...example, trajectory: withoutId }] };
    expect(validate({ trajectories: [example] }).valid).toBe(true);
    expect(validate(bad).valid).toBe(false);
    expect((await call("POST", "/v1/trajectories", { token, body: bad })).status).toBe(400);
  });
});

describe("responses match the description", () => {
  test("for pages", async () => {
    const opened = await call("POST", "/v1/sessions", { body: { siteKey: "test-site" } });
    const { token } = opened.body as { token: string };
    const assignment = await assign(token);
    const example = await makeUpload(baseModel, assignment);
    const body = { trajectories: [example] };
    const { consent } = example.trajectory;
    const feedback = {
      id: crypto.randomUUID(),
      trajectoryId: example.trajectory.id,
      kind: "thumb-up",
      at: "2026-11-20T12:00:00.000Z",
    };
    const answers: [string, string, Reply][] = [
      ["get", "/healthz", await call("GET", "/healthz")],
      ["post", "/v1/sessions", opened],
      ["get", "/v1/policy", await call("GET", "/v1/policy", { token })],
      ["get", "/v1/policies/{channel}", await call("GET", "/v1/policies/canary")],
      ["post", "/v1/assignments", await call("POST", "/v1/assignments", { token })],
      ["post", "/v1/consents", await call("POST", "/v1/consents", { token, body: { consent } })],
      ["post", "/v1/trajectories", await call("POST", "/v1/trajectories", { token, body })],
      ["post", "/v1/trajectories", await call("POST", "/v1/trajectories", { token, body: {} })],
      ["post", "/v1/feedback", await call("POST", "/v1/feedback", { token, body: feedback })],
      ["delete", "/v1/visitor", await call("DELETE", "/v1/visitor", { token })],
      ["get", "/v1/objects/{sha256}", await call("GET", `/v1/objects/${"0".repeat(64)}`)],
    ];
    expect(answers.map((answer) => faults(...answer)).filter((fault) => fault !== "")).toEqual([]);
  });

  test("for trainer and operator", async () => {
    const { token } = await openSession();
    await publish(1, baseModel);
    const examples = [await makeUpload(baseModel, null), await makeUpload(baseModel, null)];
    await upload(token, ...examples);
    const { leaseId, fencingToken } = await lease();
    const path = `/v1/trainer/leases/${leaseId}`;
    const renew = { fencingToken, durationSeconds: 60 };
    const outcomes = [
      { digest: examples[0]?.digest, status: "learned", reward: 0.5, success: true, step: 1 },
      { digest: examples[1]?.digest, status: "rejected", reason: "replay-mismatch" },
    ];
    const rows = [{ step: 1, at: "2026-11-20T12:00:00.000Z", metrics: { loss: 0.25 } }];
    const post = (where: string, body?: unknown) => call("POST", where, { ...asTrainer, body });
    const view = (where: string) => call("GET", where, asOperator);
    const answers: [string, string, Reply][] = [
      ["post", "/v1/trainer/leases/{leaseId}/renew", await post(`${path}/renew`, renew)],
      [
        "post",
        "/v1/trainer/leases/{leaseId}/acknowledge",
        await post(`${path}/acknowledge`, { fencingToken, outcomes }),
      ],
      [
        "post",
        "/v1/trainer/leases/{leaseId}/release",
        await post(`${path}/release`, { fencingToken }),
      ],
      ["post", "/v1/trainer/metrics", await post("/v1/trainer/metrics", { rows })],
      [
        "post",
        "/v1/trainer/policies/{version}/promote",
        await post("/v1/trainer/policies/1/promote"),
      ],
      ["get", "/v1/trainer/policies", await call("GET", "/v1/trainer/policies", asTrainer)],
      ["get", "/v1/operator/summary", await view("/v1/operator/summary")],
      ["get", "/v1/operator/metrics", await view("/v1/operator/metrics")],
      ["get", "/v1/operator/policies", await view("/v1/operator/policies")],
      ["get", "/v1/operator/trajectories", await view("/v1/operator/trajectories?limit=1")],
      [
        "get",
        "/v1/operator/trajectories/{digest}",
        await view(`/v1/operator/trajectories/${examples[0]?.digest}`),
      ],
    ];
    expect(answers.map((answer) => faults(...answer)).filter((fault) => fault !== "")).toEqual([]);
    const later = await makeUpload(baseModel, null);
    await upload(token, later);
    expect(
      faults(
        "post",
        "/v1/trainer/leases",
        await post("/v1/trainer/leases", { trainerId: "t", maxGroups: 1, durationSeconds: 60 }),
      ),
    ).toBe("");
  });
});
