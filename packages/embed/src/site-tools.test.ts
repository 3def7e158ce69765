/** A site other than the demo shop: its assistant has the page's tools and no others. */
import "fake-indexeddb/auto";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { createMemoryStorage } from "@waggle/collector";
import { edgeToolDefinitions } from "@waggle/demo/environment";
import { afterEach, expect, test, vi } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { openPage, say } from "./agent.fixture.ts";
import type { Page, PageOptions } from "./agent.fixture.ts";
import type { PageTool } from "@waggle/agent/tools";

afterEach(() => void vi.unstubAllGlobals());

const tool = (name: string): PageTool => ({
  name,
  description: `The page's own ${name}.`,
  parameters: { type: "object" },
  run: () => 42,
});

const titled = (title: string | { readonly [language: string]: string }) =>
  typeof title === "object" ? { title: "?", _meta: { "waggle/titles": title } } : { title };

/** A page whose edge serves the demo shop's tools to every page, as the Worker once did. */
function openSite(
  options: PageOptions,
  titles: { readonly [tool: string]: string | { readonly [language: string]: string } } = {},
): Page & { readonly mcpRequests: () => number } {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({
      tools: edgeToolDefinitions.map(({ name, description, parameters }) => ({
        name,
        description,
        inputSchema: { ...parameters, type: "object" as const },
        ...(titles[name] === undefined ? {} : titled(titles[name])),
      })),
    }));
    return server;
  });
  let mcpRequests = 0;
  vi.stubGlobal("fetch", (input: RequestInfo | URL, init?: RequestInit) => {
    mcpRequests++;
    return handler.fetch(new Request(input, init));
  });
  return { ...openPage(options), mcpRequests: () => mcpRequests };
}

/** Tool names in the policy's first prompt. */
function toolsShown({ policy }: Page): string[] {
  const bytes = policy.contexts[0]?.tokenIds.filter((id) => id < 256) ?? [];
  const prompt = new TextDecoder().decode(Uint8Array.from(bytes));
  const [, signatures = ""] = /Tools:([^<]*)/.exec(prompt) ?? [];
  return [...signatures.matchAll(/ (\w+)\(/g)].map((match) => match[1] ?? "");
}

fault(
  "a page has its own tools and requests none from the edge",
  { item: "5", before: "2 tools of the page: 5 in a prompt of 130 tokens, 2 requests to /mcp" },
  async () => {
    const site = openSite({ tools: [tool("find"), tool("borrow")], turns: [say("Hello.")] });
    await site.agent.send("Hi").finished;
    const shown = toolsShown(site);
    expect({ shown, mcp: site.mcpRequests() }).toEqual({ shown: ["find", "borrow"], mcp: 0 });
    const tokens = site.policy.contexts[0]?.tokenIds.length ?? 0;
    return {
      after: `${shown.length} in a prompt of ${tokens} tokens, ${site.mcpRequests()} requests`,
    };
  },
);

fault(
  "a page tool may have the same name as one of the shop's edge tools",
  { item: "5", before: "3 of 3 requests failed: tools must have different names" },
  async () => {
    let answered = 0;
    for (const { name } of edgeToolDefinitions) {
      const { agent } = openSite({
        tools: [tool(name)],
        turns: [say("", { name, arguments: {} }), say("It is 42.")],
      });
      const { text } = await agent.send("What is it?").finished;
      expect(agent.conversation.at(-1)).toMatchObject({
        parts: [{ activity: { name, source: "page", result: { ok: true, value: 42 } } }, {}],
      });
      if (text === "It is 42.") answered++;
    }
    return { after: `${answered} of ${edgeToolDefinitions.length} requests answered` };
  },
);

test("named edge tools come after the page's own, in the edge's order", async () => {
  const site = openSite({
    tools: [tool("find")],
    edgeTools: ["convert_currency", "calculate"],
    turns: [say("Hello.")],
  });
  await site.agent.send("Hi").finished;
  expect(toolsShown(site)).toEqual(["find", "calculate", "convert_currency"]);
});

test("named tools of an MCP server come after the edge's, in the order of their names in the page", async () => {
  const site = openSite({
    tools: [tool("find")],
    edgeTools: ["check_stock"],
    mcpServers: [{ url: "https://tools.example/mcp", tools: ["convert_currency", "calculate"] }],
    turns: [say("Hello.")],
  });
  await site.agent.send("Hi").finished;
  expect(toolsShown(site)).toEqual(["find", "check_stock", "convert_currency", "calculate"]);
});

test("the visitor reads the title of a server's tool, and the policy does not", async () => {
  const markup = `<img src=x onerror="alert(1)"> ${"long ".repeat(60)}`;
  const titles = {
    check_stock: "Looking into the store",
    convert_currency: " ",
    calculate: markup,
  };
  const calls = ["check_stock", "convert_currency", "calculate"];
  const options: PageOptions = {
    edgeTools: ["check_stock"],
    mcpServers: [{ url: "https://tools.example/mcp", tools: ["convert_currency", "calculate"] }],
    turns: [say("", ...calls.map((name) => ({ name, arguments: {} }))), say("Done.")],
  };
  const site = openSite(options, titles);
  await site.agent.send("Hi").finished;
  const answer = site.agent.conversation.at(-1);
  const parts = answer?.kind === "answer" ? answer.parts : [];
  expect(parts.flatMap((part) => (part.kind === "tool" ? [part.activity.label] : []))).toEqual([
    "Looking into the store",
    "convert currency",
    markup.slice(0, 200),
  ]);
  const bytes = site.policy.contexts[0]?.tokenIds.filter((id) => id < 256) ?? [];
  const prompt = new TextDecoder().decode(Uint8Array.from(bytes));
  expect(prompt).toContain("check_stock");
  expect(prompt).not.toMatch(/title|store|onerror/i);
});

test("the title of an edge tool is in the language of the page, also from the stored list", async () => {
  const titles = { check_stock: { en: "Looking into the store", de: "Das Lager wird geprüft" } };
  const storage = createMemoryStorage();
  for (const [language, label] of [
    ["de", "Das Lager wird geprüft"],
    ["fr", "Looking into the store"],
  ] as const) {
    const turns = [say("", { name: "check_stock", arguments: {} }), say("Done.")];
    const site = openSite({ edgeTools: ["check_stock"], language, storage, turns }, titles);
    await site.agent.send("Hi").finished;
    expect(site.agent.conversation[1]).toMatchObject({ parts: [{ activity: { label } }, {}] });
  }
  expect(storage.getItem("waggle.tools https://edge.example/mcp")).toContain("Das Lager");
});

const MCP = { url: "https://tools.example/mcp", tools: ["find"] };

test.each<readonly [string, PageOptions]>([
  ["two tools have the name", { tools: [tool("find"), tool("find")] }],
  ["two tools have the name", { tools: [tool("calculate")], edgeTools: ["calculate"] }],
  ["cannot be the name of a tool", { tools: [tool("find it")] }],
  ["two tools have the name", { tools: [tool("find")], mcpServers: [MCP] }],
  ["two tools have the name", { edgeTools: ["find"], mcpServers: [MCP] }],
  ["has no URL with https:// or http://", { mcpServers: [{ ...MCP, url: "/mcp" }] }],
  ["has timeoutMs 0; use 1 to 120000", { tools: [{ ...tool("find"), timeoutMs: 0 }] }],
  ["has timeoutMs Infinity", { tools: [{ ...tool("find"), timeoutMs: Infinity }] }],
  [
    'tools.find.parameters has type "string"; arguments are',
    { tools: [{ ...tool("find"), parameters: { type: "string" } }] },
  ],
])("createAgent throws if %s", (message, options) => {
  expect(() => openPage(options)).toThrow(message);
});
