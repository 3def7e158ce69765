/** `connectMcpTools` with the MCP project's own example server, which has a tool for each kind of result. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { type McpConnection, connectMcpTools } from "@waggle/agent/mcp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { ROOT } from "../../scripts/root.ts";

const SERVER = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
const never = new AbortController().signal;

let server: ChildProcess;
let url: string;
let connection: McpConnection;
/** Ids of the sessions of requests, in order. */
const sessions: string[] = [];
/** Methods of the messages that were sent. */
const methods: string[] = [];

const send: typeof fetch = async (input, init) => {
  const { headers, body } = init ?? {};
  const id = new Headers(headers).get("mcp-session-id");
  if (id !== null && !sessions.includes(id)) sessions.push(id);
  if (typeof body === "string") methods.push((JSON.parse(body) as { method: string }).method);
  return fetch(input, init);
};

beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/mcp`;
  server = spawn(process.execPath, [join(ROOT, SERVER), "streamableHttp"], {
    env: { ...process.env, NODE_OPTIONS: "", PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await new Promise((resolve, reject) => {
    server.stderr?.once("data", resolve);
    server.once("exit", reject);
  });
  connection = await connectMcpTools({ url, fetch: send });
});

afterAll(async () => {
  await connection?.close();
  server?.kill();
});

async function run(name: string, args: object = {}, signal = never): Promise<unknown> {
  const tool = connection.tools.find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new Error(`the server lists no tool ${name}`);
  return tool.run({ ...args }, signal);
}

const png: unknown = expect.objectContaining({
  type: "image",
  mimeType: "image/png",
  data: expect.stringMatching(/^iVBOR/) as unknown,
});

test.each([
  ["echo", { message: 'grüß\n"dich"' }, 'Echo: grüß\n"dich"'],
  ["get-sum", { a: 1, b: 2 }, "The sum of 1 and 2 is 3."],
  [
    "get-structured-content",
    { location: "New York" },
    { temperature: 33, conditions: "Cloudy", humidity: 82 },
  ],
  [
    "get-tiny-image",
    {},
    ["Here's the image you requested:", png, "The image above is the MCP logo."],
  ],
  [
    "get-annotated-message",
    { messageType: "error", includeImage: true },
    ["Error: Operation failed", png],
  ],
  [
    "get-resource-links",
    { count: 2 },
    [
      expect.stringContaining("2 resource links"),
      expect.objectContaining({ type: "resource_link", name: "Blob Resource 1" }),
      expect.objectContaining({ type: "resource_link", name: "Text Resource 2" }),
    ],
  ],
  [
    "get-resource-reference",
    { resourceType: "Text", resourceId: 1 },
    [
      "Returning resource reference for Resource 1:",
      { type: "resource", resource: expect.objectContaining({ mimeType: "text/plain" }) },
      expect.stringContaining("demo://resource/dynamic/text/1"),
    ],
  ],
])("the result of %s arrives whole", async (name, args, result) => {
  expect(await run(name, args)).toEqual(result);
});

test("refused arguments are a failure with the server's words", async () => {
  await expect(run("get-sum", { a: "one" })).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: expect.stringContaining("expected number") as unknown,
  });
});

test("a tool that only runs as a task is not offered", () => {
  const names = connection.tools.map(({ definition }) => definition.name);
  expect(names).toContain("trigger-long-running-operation");
  expect(names).not.toContain("simulate-research-query");
});

test("an aborted call ends at once, and the server is told", async () => {
  const started = performance.now();
  const call = run(
    "trigger-long-running-operation",
    { duration: 30, steps: 30 },
    AbortSignal.timeout(100),
  );
  await expect(call).rejects.toMatchObject({ name: "TimeoutError" });
  expect(performance.now() - started).toBeLessThan(10_000);
  await expect.poll(() => methods.join()).toMatch(/notifications\/cancel/);
});

test("a session that the server has ended is opened again", async () => {
  const id = sessions.at(-1) ?? "";
  await fetch(url, { method: "DELETE", headers: { "mcp-session-id": id } });
  const before = sessions.length;
  expect(await run("echo", { message: "again" })).toBe("Echo: again");
  expect(sessions.length).toBe(before + 1);
});
