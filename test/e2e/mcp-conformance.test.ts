/**
 * Waggle's two sides of MCP against programs that others wrote: the official conformance suite against the edge under
 * workerd and against the packed `connectMcpTools`, and the official SDK's first client against the edge.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { SessionResponse } from "@waggle/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { siteFrom } from "../../packages/dev/src/site/site.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { runConformance } from "../fixtures/conformance-suite.ts";
import { MCP_DEVIATIONS } from "../fixtures/mcp-deviations.ts";
import { conformanceSite } from "../fixtures/conformance-site.ts";
import { linkProject } from "../fixtures/linked-project.ts";
import { localServer, type LocalServer } from "../fixtures/local-server.ts";
import { isLong } from "../fixtures/long.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";

const work = mkdtempSync(join(tmpdir(), "waggle-mcp-"));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Passes a request on with a session token, because the suite has no option for one. */
async function passOn(request: Request, edgeUrl: string, token: string): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set("authorization", `Bearer ${token}`);
  for (const name of ["host", "connection", "content-length"]) headers.delete(name);
  const answer = await fetch(new URL(new URL(request.url).pathname, edgeUrl), {
    method: request.method,
    headers,
    ...(request.body === null ? {} : { body: await request.arrayBuffer() }),
  });
  const passed = new Headers(answer.headers);
  passed.delete("content-encoding");
  return new Response(answer.body, { status: answer.status, headers: passed });
}

describe.runIf(isLong())("the edge", () => {
  let site: ReturnType<typeof conformanceSite>;
  let edge: ManagedProcess;
  let proxy: LocalServer;
  let url: string;

  beforeAll(async () => {
    site = conformanceSite();
    const installation = openInstallation(join(work, "edge"));
    const loaded = await siteFrom(site.folder);
    await migrate(installation, loaded);
    const port = await freePort();
    const edgeUrl = `http://127.0.0.1:${port}`;
    let token = "";
    proxy = await localServer((request) => passOn(request, edgeUrl, token));
    const variables = { ALLOWED_ORIGINS: proxy.origin };
    edge = await startEdge(installation, { port, site: loaded, variables });
    const opened = await fetch(`${edgeUrl}/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ siteKey: installation.siteKey }),
    });
    ({ token } = (await opened.json()) as SessionResponse);
    url = `${proxy.origin}/mcp`;
  }, 300_000);

  afterAll(async () => {
    proxy?.close();
    await edge?.stop();
    site?.remove();
  });

  test("passes the conformance suite but for the listed deviations", async ({ task }) => {
    const { passed, failed } = await runConformance(work, "server", [
      "--url",
      url,
      "--suite",
      "all",
    ]);
    expect(failed).toEqual(Object.keys(MCP_DEVIATIONS.server).toSorted());
    expect(passed.length).toBeGreaterThanOrEqual(8);
    task.meta.scenarios = passed.length;
  });

  test("answers the first version of the official client", async () => {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      { name: "test_simple_text", title: "Simple text" },
      { name: "test_error_handling" },
      { name: "json_schema_2020_12_tool" },
    ]);
    expect(await client.callTool({ name: "test_error_handling", arguments: {} })).toMatchObject({
      isError: true,
    });
    const args = { name: "Ada", address: { city: "London" } };
    const called = await client.callTool({ name: "json_schema_2020_12_tool", arguments: args });
    expect(called).toMatchObject({ content: [{ text: JSON.stringify(args) }] });
    await expect(client.callTool({ name: "launch" })).rejects.toMatchObject({ code: -32_602 });
    await client.close();
  });
});

describe("the client", () => {
  const project = join(work, "client");

  beforeAll(() => {
    linkProject(project, packedPackages());
    writeFileSync(
      join(project, "client.mjs"),
      `import { connectMcpTools } from "@waggle/agent/mcp";

const { tools, close } = await connectMcpTools({ url: process.argv.at(-1) });
const { signal } = new AbortController();
const values = { a: 2, b: 3 };
for (const { definition, run } of tools) {
  console.log(definition.name, await run(definition.name === "add_numbers" ? values : {}, signal));
}
await close();
`,
    );
  });

  test("passes the conformance suite but for the listed deviations", async ({ task }) => {
    const command = `${process.execPath} client.mjs`;
    const scenarios = isLong() ? ["--suite", "core"] : ["--scenario", "tools_call"];
    const { passed, failed } = await runConformance(project, "client", [
      ...scenarios,
      "--command",
      command,
    ]);
    expect(failed).toEqual(isLong() ? Object.keys(MCP_DEVIATIONS.client).toSorted() : []);
    expect(passed).toContain("tools_call");
    task.meta.scenarios = passed.length;
  });
});
