/**
 * One Worker with the code of two site folders: what `waggle deploy` says about it, and under workerd, how the second
 * site is created and that the pages of each site reach only their own tools.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isObject, type SessionResponse, type SitesResponse } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { sitesFrom } from "../../packages/dev/src/site/sites.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { type Installation, openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../scripts/root.ts";
import { createMissingSites, createSiteCommand } from "../../trainer/src/commands/missing-sites.ts";
import { isLong } from "../fixtures/long.ts";
import { twoSites } from "../fixtures/two-sites.ts";

const folder = mkdtempSync(join(tmpdir(), "waggle-edge-of-two-"));
const { planner, library, remove } = twoSites();
const said: string[] = [];
let installation: Installation;
let edge: ManagedProcess;
let edgeUrl: string;

/** Creates the library at the edge, as `waggle deploy` does. */
async function createLibrary(): Promise<void> {
  const [, site] = await sitesFrom([planner, library]);
  if (site === undefined) throw new Error("there are two sites");
  const { signal } = new AbortController();
  await createMissingSites(
    [{ id: site.name, name: "City Library", settings: site.settings }],
    { edge: edgeUrl, credential: installation.operatorCredential },
    { signal, environment: {} },
    (line) => void said.push(line),
  );
}

beforeAll(async () => {
  const [site, ...others] = await sitesFrom([planner, library]);
  installation = openInstallation(folder);
  await migrate(installation, site);
  const port = await freePort();
  edgeUrl = `http://127.0.0.1:${port}`;
  edge = await startEdge(installation, { port, site, others });
  await createLibrary();
}, 120_000);

afterAll(async () => {
  await edge.stop();
  rmSync(folder, { recursive: true, force: true });
  remove();
});

/** The result of an MCP call of a page. */
async function mcp(token: string, method: string, params: object = {}): Promise<unknown> {
  const response = await fetch(`${edgeUrl}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const text = await response.text();
  const answer: unknown = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  return isObject(answer) ? (answer["result"] ?? answer["error"]) : answer;
}

async function openPage(siteKey: string): Promise<string> {
  const response = await fetch(`${edgeUrl}/v1/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ siteKey }),
  });
  return ((await response.json()) as SessionResponse).token;
}

test("a site that the edge lacks is created with the values of its config, and one that it has keeps its own", async () => {
  expect(said[0]).toBe("library (City Library): served");
  expect(said).toContainEqual(expect.stringMatching(/^trainer's credential: waggle-trainer-/));
  const response = await fetch(`${edgeUrl}/v1/operator/sites`, {
    headers: { authorization: `Bearer ${installation.operatorCredential}` },
  });
  const { sites } = (await response.json()) as SitesResponse;
  expect(sites.find(({ id }) => id === "library")?.settings).toEqual({
    siteKeys: ["key-of-library"],
    allowedOrigins: ["https://library.example"],
    taskEnvironment: "library",
    gateMinTasks: 32,
    gateProbeTasks: 32,
    canaryShare: 0.25,
    visitorTtlDays: 30,
    sessionsPerMinute: 7,
  });
  await createLibrary();
  expect(said.at(-1)).toBe(
    "library exists and keeps its settings; waggle sites set library changes them",
  );
});

test.each([
  ["the first site, which is `default`", () => installation.siteKey, "holidays", "opening_hours"],
  ["the second site", () => "key-of-library", "opening_hours", "holidays"],
])("a page of %s reaches its own edge tools only", async (_, siteKey, own, other) => {
  const token = await openPage(siteKey());
  expect(await mcp(token, "tools/list")).toMatchObject({ tools: [{ name: own }] });
  const answer = { holidays: ["edge-marker"], opening_hours: ["library-marker"] }[own];
  const called = await mcp(token, "tools/call", { name: own, arguments: {} });
  expect(called).toMatchObject({ content: [{ text: JSON.stringify(answer) }] });
  // Arguments are checked by the schema of the site's own tool.
  const surplus = await mcp(token, "tools/call", { name: own, arguments: { day: "monday" } });
  expect(JSON.stringify(surplus)).toContain("INVALID_TOOL_ARGUMENTS");
  const foreign = await mcp(token, "tools/call", { name: other, arguments: {} });
  expect(JSON.stringify(foreign)).toMatch(/no such tool|not found/);
  expect(JSON.stringify(foreign)).not.toContain("marker");
});

test.runIf(isLong())(
  "a dry run shows each site with its tools, and the commands that create the others",
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["scripts/run.mjs", "packages/cli/src/main.ts", "deploy", planner, library, "--dry-run"],
      { cwd: ROOT, encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "", CI: "true" } },
    );
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).toContain(
      "site default: Planner; edge tools: holidays; page tools: move; tasks: planner\n" +
        "site library: City Library's; edge tools: opening_hours; page tools: move; tasks: library\n",
    );
    expect(stdout).toContain("env.DB (waggle-planner)");
    // The first site's origins and limits are variables of the Worker.
    expect(stdout).toContain('env.ALLOWED_ORIGINS ("https://planner.example")');
    expect(stdout).toContain('env.SESSIONS_PER_MINUTE ("7")');
    expect(stdout).toContain(
      `npx waggle sites add library --edge "$EDGE" --name 'City Library'\\''s' siteKeys=key-of-library ` +
        "allowedOrigins=https://library.example taskEnvironment=library",
    );
  },
  120_000,
);

test("the printed command has one argument for each setting", () => {
  const settings = { allowedOrigins: ["*"], siteKeys: ["a", "b"] };
  expect(createSiteCommand({ id: "desk", settings }, "https://edge.example")).toBe(
    "npx waggle sites add desk --edge https://edge.example 'allowedOrigins=*' siteKeys=a,b",
  );
});
