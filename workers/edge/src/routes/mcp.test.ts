import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createExecutionContext } from "cloudflare:test";
import worker, { runRoomsTool, toolDefinitions } from "../testing/worker.ts";
import type { OperatorHealth } from "@waggle/protocol";
import {
  ask,
  asOperator,
  bindings,
  call,
  freshEdge,
  openSession,
  ORIGIN,
} from "../testing/edge.ts";
import { beforeEach, expect, test, vi } from "vitest";
import { fault } from "../../../../test/fixtures/fault.ts";

let token = "";

beforeEach(async () => {
  await freshEdge();
  token = (await openSession()).token;
});

/** A client of a site that serves these tool sets. */
async function connect(tools = "rooms", mode: "auto" | "legacy" = "legacy"): Promise<Client> {
  const versionNegotiation = { mode };
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation });
  const site = { ...bindings, EDGE_TOOLS: tools };
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    fetch: async (url, init) =>
      worker.fetch(new Request(url, init), site, createExecutionContext()),
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  return client;
}

fault(
  "a site that configures no edge tools serves none",
  { item: "5", before: "3 tools of the demo shop on every site" },
  async () => {
    const client = await connect("");
    const { tools } = await client.listTools();
    const called = client.callTool({ name: "calculate", arguments: { expression: "1" } });
    expect(tools).toEqual([]);
    await expect(called).rejects.toMatchObject({ code: -32_602 });
    await client.close();
    return { after: `${tools.length} tools` };
  },
);

test("the official client finds the edge tools with their schemas", async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name, inputSchema }) => ({ name, inputSchema }))).toEqual(
    toolDefinitions.map(({ name, parameters }) => ({ name, inputSchema: parameters })),
  );
  await client.close();
});

test("a call over MCP returns what the trainer's replay returns", async () => {
  const client = await connect();
  const calls: [string, Record<string, unknown>][] = [
    ["calculate", { expression: "3*45" }],
    ["free_rooms", { floor: 2 }],
  ];
  for (const [name, args] of calls) {
    const result = await client.callTool({ name, arguments: args });
    const [content] = result.content as { text: string }[];
    expect(JSON.parse(content?.text ?? "")).toEqual(runRoomsTool(name, args));
  }
  await client.close();
});

test("a model's mistake is a result with a code, not a fault, and the edge counts it", async () => {
  const client = await connect();
  const mistakes: [string, Record<string, unknown>, string][] = [
    ["calculate", { sum: "1+1" }, "INVALID_TOOL_ARGUMENTS"],
    ["free_rooms", { floor: 9 }, "TOOL_FAILED"],
  ];
  for (const [name, args, code] of mistakes) {
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError).toBe(true);
    const [content] = result.content as { text: string }[];
    expect(JSON.parse(content?.text ?? "")).toMatchObject({ code });
  }
  await vi.waitFor(
    async () => {
      const { refusals } = await ask<OperatorHealth>("GET", "/v1/operator/health", asOperator);
      const counts = refusals.map(
        ({ operation, reason, count }) => `${operation} ${reason} ${count}`,
      );
      expect(counts.toSorted()).toEqual([
        "callMcp INVALID_TOOL_ARGUMENTS 1",
        "callMcp TOOL_FAILED 1",
      ]);
    },
    { timeout: 10_000, interval: 200 },
  );
  await client.close();
});

test.each(["auto", "legacy"] as const)(
  "every tool has a title, annotations and an output schema that its results match (%s)",
  async (mode) => {
    const client = await connect("rooms", mode);
    const { tools } = await client.listTools();
    const pure = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };
    expect(
      tools.map(({ title, annotations, outputSchema }) => [
        title,
        annotations,
        typeof outputSchema,
      ]),
    ).toEqual([
      ["Calculate", pure, "object"],
      ["Free rooms", pure, "object"],
      ["Book a room", { readOnlyHint: false }, "object"],
    ]);
    const calls: [string, Record<string, unknown>][] = [
      ["calculate", { expression: "3*45" }],
      ["free_rooms", { floor: 2 }],
    ];
    for (const [name, args] of calls) {
      // The client rejects a result that does not match the schema.
      const { structuredContent } = await client.callTool({ name, arguments: args });
      const value = runRoomsTool(name, args);
      // The older protocol has only objects, so the library wraps other values.
      expect(structuredContent).toEqual(mode === "auto" ? value : { result: value });
    }
    await client.close();
  },
);

test("an unknown tool is the JSON-RPC error that MCP defines", async () => {
  const client = await connect();
  await expect(client.callTool({ name: "launch", arguments: {} })).rejects.toMatchObject({
    code: -32_602,
    message: "no such tool",
    data: { code: "UNKNOWN_TOOL" },
  });
  await client.close();
});

/** A `tools/list` request to a site with these allowed origins. */
async function listFrom(origin: string | null, allowed: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(origin === null ? {} : { origin }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const site = { ...bindings, ALLOWED_ORIGINS: allowed };
  const request = new Request(`${ORIGIN}/mcp`, { method: "POST", headers, body });
  return worker.fetch(request, site, createExecutionContext());
}

test("a request of an origin that is not allowed is refused", async () => {
  const allowed = "https://site.example,https://other.example";
  const refused = await listFrom("https://evil.example", allowed);
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ error: { code: "FORBIDDEN" } });
  expect((await listFrom("null", allowed)).status).toBe(403);
  expect((await listFrom("https://site.example", allowed)).status).toBe(200);
  expect((await listFrom("https://evil.example", "*")).status).toBe(200);
  // Programs send no origin.
  expect((await listFrom(null, allowed)).status).toBe(200);
});

test("a refused method names the allowed ones", async () => {
  for (const method of ["GET", "DELETE"]) {
    const reply = await call(method, "/mcp", { token });
    expect(reply).toMatchObject({ status: 405, body: { error: { code: "METHOD_NOT_ALLOWED" } } });
    expect(reply.headers.get("allow")).toBe("POST, OPTIONS");
  }
  const reply = await call("DELETE", "/openapi.json");
  expect(reply.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
});

test("a message larger than any tool call is refused unread", async () => {
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/list",
    params: { a: "x".repeat(70_000) },
  };
  const headers = { accept: "application/json, text/event-stream" };
  const reply = await call("POST", "/mcp", { body: message, token, headers });
  expect(reply).toMatchObject({ status: 413, body: { error: { code: "PAYLOAD_TOO_LARGE" } } });
});

test("no tool runs without a session token", async () => {
  const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const reply = await call("POST", "/mcp", { body, token: "nobody" });
  expect(reply).toMatchObject({ status: 401, body: { error: { code: "UNAUTHENTICATED" } } });
  expect(reply.headers.get("www-authenticate")).toBe(
    'Bearer realm="waggle", error="invalid_token"',
  );
  const anonymous = await call("POST", "/mcp", { body });
  expect(anonymous.headers.get("www-authenticate")).toBe('Bearer realm="waggle"');
});
