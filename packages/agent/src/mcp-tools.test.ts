import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { connectMcpTools } from "./mcp-tools.ts";

const never = new AbortController().signal;

/** An MCP server in this process, reached through its fetch handler. */
function serve(): { fetch: typeof fetch; authorizations: (string | null)[] } {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({
      tools: ["add", "text", "fail", "refuse"].map((name) => ({
        name,
        description: `Does ${name}.`,
        inputSchema: { type: "object", properties: { a: { type: "number" } } },
      })),
    }));
    server.setRequestHandler("tools/call", ({ params }) => {
      const a = Number(params.arguments?.["a"] ?? 0);
      const texts: { [name: string]: string } = {
        add: JSON.stringify({ sum: a + 1 }),
        text: "just words",
        fail: "it broke",
        refuse: JSON.stringify({ code: "INVALID_TOOL_ARGUMENTS", message: "a: too large" }),
      };
      return {
        isError: params.name === "fail" || params.name === "refuse",
        content: [{ type: "text", text: texts[params.name] ?? "" }],
      };
    });
    return server;
  });
  const authorizations: (string | null)[] = [];
  return {
    authorizations,
    fetch: (input, init) => {
      const request = new Request(input, init);
      authorizations.push(request.headers.get("authorization"));
      return handler.fetch(request);
    },
  };
}

test("listed tools run on the server and return its results", async () => {
  const server = serve();
  const { tools, close } = await connectMcpTools({
    url: "http://edge.test/mcp",
    fetch: server.fetch,
  });
  expect(tools[0]?.definition).toEqual({
    name: "add",
    description: "Does add.",
    parameters: { type: "object", properties: { a: { type: "number" } } },
    source: "edge",
  });
  const [add, text, fail, refuse] = tools;
  expect(await add!.run({ a: 2 }, never)).toEqual({ sum: 3 });
  expect(await text!.run({}, never)).toBe("just words");
  await expect(fail!.run({}, never)).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: "it broke",
  });
  await expect(refuse!.run({}, never)).rejects.toMatchObject({
    code: "INVALID_TOOL_ARGUMENTS",
    message: "a: too large",
  });
  await close();
});

test("a tool has the title that the server lists, or that of its annotations, and whether it changes something", async () => {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
    const inputSchema = { type: "object" as const };
    server.setRequestHandler("tools/list", () => ({
      tools: [
        { name: "a", inputSchema, title: "Rules", annotations: { title: "Older title" } },
        { name: "b", inputSchema, annotations: { title: "Prices" } },
        { name: "c", inputSchema, annotations: { readOnlyHint: false } },
        {
          name: "d",
          inputSchema,
          title: "Rules",
          _meta: { "waggle/titles": { en: "Rules", de: "Regeln", fr: 7 } },
        },
        { name: "e", inputSchema, title: "Rules", _meta: { "waggle/titles": { de: null } } },
      ],
    }));
    return server;
  });
  const { tools, close } = await connectMcpTools({
    url: "http://edge.test/mcp",
    fetch: (input, init) => handler.fetch(new Request(input, init)),
  });
  expect(tools.map(({ title }) => title)).toEqual([
    "Rules",
    "Prices",
    undefined,
    { en: "Rules", de: "Regeln" },
    "Rules",
  ]);
  expect(tools.map(({ changes }) => changes)).toEqual([
    undefined,
    undefined,
    true,
    undefined,
    undefined,
  ]);
  expect(tools.map(({ definition }) => Object.keys(definition))).toEqual(
    Array(5).fill(["name", "description", "parameters", "source"]),
  );
  await close();
});

test("the headers function is called for every request", async () => {
  const server = serve();
  let token = 0;
  const { tools, close } = await connectMcpTools({
    url: "http://edge.test/mcp",
    headers: () => ({ authorization: `Bearer ${++token}` }),
    fetch: server.fetch,
  });
  const before = server.authorizations.length;
  await tools[0]!.run({}, never);
  expect(server.authorizations[before]).toBe(`Bearer ${before + 1}`);
  expect(server.authorizations).not.toContain(null);
  await close();
});

test("connecting to an unreachable server fails with NETWORK, a later call with TOOL_UNAVAILABLE", async () => {
  const server = serve();
  let isAway = false;
  const send: typeof fetch = (input, init) =>
    isAway ? Promise.reject(new TypeError("fetch failed")) : server.fetch(input, init);
  const { tools } = await connectMcpTools({ url: "http://edge.test/mcp", fetch: send });
  isAway = true;
  await expect(tools[0]!.run({}, never)).rejects.toMatchObject({
    code: "TOOL_UNAVAILABLE",
    retryable: true,
  });
  await expect(connectMcpTools({ url: "http://edge.test/mcp", fetch: send })).rejects.toMatchObject(
    { code: "NETWORK" },
  );
});

test.each([
  [401, "UNAUTHENTICATED", /wants authorization .* `headers`/],
  [403, "FORBIDDEN", /refuses this client/],
])("a server that answers %i is %s, and is not tried again", async (status, code, message) => {
  const server = serve();
  let isRefused = false;
  const send: typeof fetch = (input, init) =>
    isRefused ? Promise.resolve(Response.json({}, { status })) : server.fetch(input, init);
  const options = { url: "http://edge.test/mcp", fetch: send };
  const { tools } = await connectMcpTools(options);
  isRefused = true;
  const refusal = { code, retryable: false, message: expect.stringMatching(message) as unknown };
  await expect(connectMcpTools(options)).rejects.toMatchObject(refusal);
  await expect(tools[0]!.run({}, never)).rejects.toMatchObject(refusal);
});
