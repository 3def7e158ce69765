/** Tools that were bundled with a Worker, called as a page calls them. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { defineEdgeTools } from "@waggle/agent/tools";
import { DEFAULT_SITE } from "@waggle/protocol";
import { createExecutionContext } from "cloudflare:test";
import { beforeEach, expect, test } from "vitest";
import { createWorker } from "../create-worker.ts";
import { bindings, freshEdge, openSession, ORIGIN } from "../testing/edge.ts";

let token = "";
beforeEach(async () => {
  await freshEdge();
  token = (await openSession()).token;
});

const TEXT = {
  type: "object",
  properties: { text: { type: "string", maxLength: 20 } },
  required: ["text"],
  additionalProperties: false,
} as const;
const NOTHING = { type: "object", properties: {}, additionalProperties: false } as const;
const description = "A tool.";

const worker = createWorker({
  sites: [
    {
      id: DEFAULT_SITE,
      tools: defineEdgeTools({
        translate: {
          description,
          title: { en: "Translating", de: "Übersetzung läuft" },
          parameters: TEXT,
          run: ({ text }) => ({ text: text.toUpperCase() }),
        },
        count: { description, parameters: TEXT, run: ({ text }) => text.length },
        say: { description, parameters: NOTHING, run: () => "hello" },
        throws: {
          description,
          parameters: NOTHING,
          run: () => {
            throw new Error("out of order");
          },
        },
        hangs: {
          description,
          parameters: NOTHING,
          timeoutMs: 20,
          run: () => new Promise(() => undefined),
        },
        large: { description, parameters: NOTHING, run: () => "x".repeat(10_000_000) },
      }),
    },
  ],
});

async function connected(): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${ORIGIN}/mcp`), {
      fetch: async (url, init) =>
        worker.fetch(new Request(url, init), bindings, createExecutionContext()),
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  return client;
}

/** The value or the error of a call, as the model reads it. */
async function called(client: Client, name: string, args: { readonly [name: string]: unknown }) {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content as { text: string }[];
  return JSON.parse(first?.text ?? "") as unknown;
}

test("the Worker lists its own tools, checks their arguments and runs them", async () => {
  const client = await connected();
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(["translate", "count", "say", "throws", "hangs", "large"]);
  expect(tools[0]).toMatchObject({ name: "translate", description, inputSchema: TEXT });
  // MCP has one title. Pages read the others.
  expect(tools[0]?.title).toBe("Translating");
  expect(tools[0]?._meta).toEqual({
    "waggle/titles": { en: "Translating", de: "Übersetzung läuft" },
  });
  expect(tools[1]).not.toHaveProperty("_meta");
  expect(await called(client, "translate", { text: "tea" })).toEqual({ text: "TEA" });
  expect(await called(client, "count", { text: "tea" })).toBe(3);
  expect(await called(client, "say", {})).toBe("hello");
  await client.close();
});

test.each([
  ["throws", {}, "TOOL_FAILED", "out of order"],
  ["hangs", {}, "TIMEOUT", "no result within 20 ms"],
  ["large", {}, "TOOL_FAILED", "the result is longer than 16384 characters; ask for less"],
  ["count", { text: 7 }, "INVALID_TOOL_ARGUMENTS", 'text: Instance type "number" is invalid'],
])("a tool that fails (%s) costs that call only", async (name, args, code, message) => {
  const client = await connected();
  expect(await called(client, name, args)).toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
  expect(await called(client, "say", {})).toBe("hello");
  await client.close();
});
