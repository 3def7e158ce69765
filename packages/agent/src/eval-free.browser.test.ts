/** Runs the agent in a page whose Content-Security-Policy does not allow `unsafe-eval`. */
import { expect, test } from "vitest";

test("a request with page and MCP tools runs in a page that forbids eval", async () => {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "script-src 'self' 'unsafe-inline'";
  document.head.append(policy);
  // oxlint-disable-next-line typescript/no-implied-eval -- shows that the policy is in force
  expect(() => new Function("return 1")).toThrow(EvalError);

  // Imported under the policy, because libraries check once at load time whether they may use eval.
  const { createMcpHandler, Server } = await import("@modelcontextprotocol/server");
  const { connectMcpTools } = await import("./mcp-tools.ts");
  const { echo, run, say } = await import("./rollout.fixture.ts");
  const { createToolEnvironment } = await import("./tool-environment.ts");

  const handler = createMcpHandler(() => {
    const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
    const schema = { type: "object" as const, properties: { sum: { type: "number" } } };
    server.setRequestHandler("tools/list", () => ({
      tools: [{ name: "add", inputSchema: { type: "object" }, outputSchema: schema }],
    }));
    server.setRequestHandler("tools/call", () => ({
      content: [],
      structuredContent: { sum: 3 },
    }));
    return server;
  });
  const { tools, close } = await connectMcpTools({
    url: "https://edge.test/mcp",
    fetch: (input, init) => handler.fetch(new Request(input, init)),
  });
  const page = { definition: echo, run: () => Promise.resolve("here") };
  const calls = [
    { name: "echo", arguments: { text: 5 } },
    { name: "echo", arguments: { text: "a" } },
    { name: "add", arguments: {} },
  ];
  const { trajectory } = await run(
    { turns: [say("", ...calls), say("3.")] },
    createToolEnvironment({ system: "s", tools: [page, ...tools], userMessage: "u" }),
  );
  expect(trajectory.turns[0]?.toolResults).toMatchObject([
    { ok: false, error: { code: "INVALID_TOOL_ARGUMENTS" } },
    { ok: true, value: "here" },
    { ok: true, value: { sum: 3 } },
  ]);
  await close();
});
