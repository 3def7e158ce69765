import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { edgeToolDefinitions, runEdgeTool } from "@waggle/environments";
import { createExecutionContext } from "cloudflare:test";
import { app } from "../app.ts";
import { bindings, call, freshEdge, openSession, ORIGIN } from "../testing/edge.ts";
import { beforeEach, expect, test } from "vitest";
import { fault } from "../../../../test/fixtures/fault.ts";

let token = "";

beforeEach(async () => {
  await freshEdge();
  token = (await openSession()).token;
});

/** A client of a site that serves these tool sets. */
async function connect(tools = "shop"): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const site = { ...bindings, EDGE_TOOLS: tools };
  const transport = new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
    fetch: async (url, init) => app.fetch(new Request(url, init), site, createExecutionContext()),
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
    const called = await client.callTool({ name: "calculate", arguments: { expression: "1" } });
    expect(tools).toEqual([]);
    expect(called).toMatchObject({ isError: true });
    await client.close();
    return { after: `${tools.length} tools` };
  },
);

test("the official client finds the edge tools with their schemas", async () => {
  const client = await connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name, inputSchema }) => ({ name, inputSchema }))).toEqual(
    edgeToolDefinitions.map(({ name, parameters }) => ({ name, inputSchema: parameters })),
  );
  await client.close();
});

test("a call over MCP returns what the trainer's replay returns", async () => {
  const client = await connect();
  const calls: [string, Record<string, unknown>][] = [
    ["calculate", { expression: "3*45" }],
    ["convert_currency", { amount: 10, to: "USD" }],
  ];
  for (const [name, args] of calls) {
    const result = await client.callTool({ name, arguments: args });
    const [content] = result.content as { text: string }[];
    expect(JSON.parse(content?.text ?? "")).toEqual(runEdgeTool(name, args));
  }
  await client.close();
});

test("a model's mistake is a result with a code, not a fault", async () => {
  const client = await connect();
  const mistakes: [string, Record<string, unknown>, string][] = [
    ["calculate", { sum: "1+1" }, "INVALID_TOOL_ARGUMENTS"],
    ["check_stock", { id: "no-such-id" }, "TOOL_FAILED"],
    ["launch", {}, "UNKNOWN_TOOL"],
  ];
  for (const [name, args, code] of mistakes) {
    const result = await client.callTool({ name, arguments: args });
    expect(result.isError).toBe(true);
    const [content] = result.content as { text: string }[];
    expect(JSON.parse(content?.text ?? "")).toMatchObject({ code });
  }
  await client.close();
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
});
