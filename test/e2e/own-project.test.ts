/**
 * `npm run dev` in a project outside of the repository, made by `npm create waggle`, with the packages as they are
 * published: its page and the practice page open, a change reloads the page, the edge has changed tools at once, a killed
 * process comes back, and Ctrl-C ends everything. The other templates do this in the long tests: `create-waggle.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { connectMcpTools } from "@waggle/agent/mcp";
import type { SessionResponse } from "@waggle/protocol";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { linkProject } from "../fixtures/linked-project.ts";
import { npmRunDev, type RunningDev, TERMINAL } from "../fixtures/npm-run-dev.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";
import { processes, withDescendants } from "../fixtures/processes.ts";
import { isLong } from "../fixtures/long.ts";

const work = mkdtempSync(join(tmpdir(), "waggle-own-project-"));
const site = join(work, "rooms");
const MAIN = join(work, "node_modules", "@waggle", "cli", "dist", "main.js");
let dev: RunningDev;
let browser: Browser;

function run(main: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [main, ...args], {
    cwd: site,
    encoding: "utf8",
    env: TERMINAL,
  });
}

const npmRun = (...args: readonly string[]) =>
  spawnSync("npm", ["run", ...args], { cwd: site, encoding: "utf8", env: TERMINAL });

async function open(title: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(await dev.addressOf(title));
  return page;
}

/** Replaces a part of a file of the site. */
function edit(file: string, part: string, by: string): void {
  const text = readFileSync(join(site, file), "utf8");
  if (!text.includes(part)) throw new Error(`${file} lacks ${part}`);
  writeFileSync(join(site, file), text.replace(part, by));
}

/** A base that trains in seconds, which is not for use, and a tool at the edge. */
function extendSite(): void {
  const file = '() => import("./src/edge-tools.ts")';
  edit(
    "waggle.config.ts",
    "languages:",
    `base: { steps: 20 },\n  edgeTools: ${file},\n  languages:`,
  );
  const parameters = '{ type: "object", properties: {}, additionalProperties: false }';
  const tool = `description: "When the house is open.", parameters: ${parameters}, run: () => "9 to 17"`;
  writeFileSync(
    join(site, "src", "edge-tools.ts"),
    `import { defineEdgeTools } from "@waggle/site";
export default defineEdgeTools({ opening_hours: { title: "Reading the hours", ${tool} } });
`,
  );
  // After the tools of the page, as the model reads them.
  edit(
    "practice/environment.ts",
    "  },\n  verify:",
    `    opening_hours: { ${tool} },\n  },\n  verify:`,
  );
}

beforeAll(async () => {
  linkProject(work, packedPackages());
  // As npm installs a command.
  mkdirSync(join(work, "node_modules", ".bin"));
  chmodSync(MAIN, 0o755);
  symlinkSync(MAIN, join(work, "node_modules", ".bin", "waggle"));
  mkdirSync(site);
  const creation = run(
    join(work, "node_modules", "create-waggle", "dist", "main.js"),
    ".",
    "--template",
    "vite",
    "--yes",
    "--no-install",
  );
  if (creation.status !== 0) throw new Error(creation.stderr);
  extendSite();
  dev = npmRunDev(site);
  await dev.addressOf("edge");
  browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
}, 420_000);

afterAll(async () => {
  await browser?.close();
  await dev?.interrupt();
  rmSync(work, { recursive: true, force: true });
});

test("a line is printed before each long step of the start", async () => {
  for (const line of [
    /^waggle {4}loading the site …$/,
    /making the base model of meeting-rooms from its demonstrator, once/,
    /migrating the edge's database …/,
    /building the page dashboard …/,
    /starting the edge and the pages …/,
    /publishing the model …/,
    /starting the trainer …/,
  ]) {
    expect(await dev.untilSaid(line)).toMatch(/^waggle /);
  }
});

test("the template's own tests pass, and the site is ready", () => {
  const vitest = run(join(work, "node_modules", "vitest", "vitest.mjs"), "run");
  expect(stripVTControlCharacters(vitest.stdout)).toMatch(/Tests +[34] passed/);
  expect(run(MAIN, "check", ".").stdout).toMatch(/ is ready\n$/);
});

test("the site's own page opens, and a change of its tools reloads it", async () => {
  const page = await open("meeting-rooms");
  await expect.poll(() => page.locator("h1").innerText()).toBe("Meeting rooms");
  await page.locator("waggle-agent").getByRole("textbox").waitFor();
  await page.evaluate(() => Object.assign(window, { isOld: true }));
  const file = join(site, "src", "tools.ts");
  writeFileSync(file, `${readFileSync(file, "utf8")}\nexport const CHANGED = true;\n`);
  await expect.poll(() => page.evaluate(() => "isOld" in window), { timeout: 20_000 }).toBe(false);
});

test("the practice page shows the environment's tasks", async () => {
  const page = await open("practice");
  const request = page.locator("#request");
  await expect
    .poll(() => request.innerText(), { timeout: 90_000 })
    .toMatch(/a room .*on [a-z]+day at \d\d:\d\d|^On [a-z]+day at \d\d:\d\d/);
  expect(await page.locator("#name").innerText()).toBe("meeting-rooms");
});

test("a change of the environment starts the trainer again", async () => {
  const file = join(site, "practice", "environment.ts");
  writeFileSync(file, `${readFileSync(file, "utf8")}\nexport const CHANGED = true;\n`);
  await dev.untilSaid(/trainer starts again: environment\.ts changed/);
  expect(await dev.untilSaid(/trainer is running again/)).toContain("waggle");
});

test("a change of an edge tool is at the edge without a restart of waggle dev", async () => {
  const edge = new URL(await dev.addressOf("edge")).origin;
  const session = await fetch(`${edge}/v1/sessions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ siteKey: "local-demo" }),
  });
  const { token } = (await session.json()) as SessionResponse;
  const url = `${edge}/mcp`;
  const hours = async (): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const { tools, close } = await connectMcpTools({ url, headers });
    const [tool] = tools;
    const result = await tool?.run({}, new AbortController().signal);
    await close();
    return result;
  };
  expect(await hours()).toBe("9 to 17");
  edit("src/edge-tools.ts", "9 to 17", "10 to 18");
  await expect.poll(() => hours().catch(() => null), { timeout: 90_000 }).toBe("10 to 18");
});

test("a killed process of waggle dev comes back at its address", async () => {
  const practice = await dev.addressOf("practice");
  const mark = `--port ${new URL(practice).port}`;
  const all = new Set(withDescendants(dev.id));
  const served = processes().findLast(({ id, text }) => all.has(id) && text.includes(mark));
  process.kill(served?.id ?? Number.NaN, "SIGKILL");
  await dev.untilSaid(/practice is running again/);
  expect((await fetch(practice)).status).toBe(200);
});

// deploy-sites.test.ts has a dry run of this repository's site in npm test.
test.runIf(isLong())(
  "a dry run of the deployment bundles the Worker with the site's settings",
  () => {
    const { status, stdout } = npmRun("deploy", "--", "--dry-run");
    expect(status).toBe(0);
    expect(stdout).toContain('env.TASK_ENVIRONMENT ("meeting-rooms")');
    const refused = run(MAIN, "deploy");
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain("npx wrangler d1 create waggle-meeting-rooms");
  },
);

// assets.test.ts serves what the command writes.
test.runIf(isLong())(
  "waggle assets writes what a page without a bundler loads, from the installed packages",
  () => {
    const { stdout, stderr } = run(MAIN, "assets", join(work, "assets"), "--json");
    expect(stderr).toBe("");
    const { files } = JSON.parse(stdout) as { files: { path: string; integrity: string }[] };
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "waggle.js",
        "worker/wasm.js",
        "worker/onnxruntime-web/ort-wasm-simd-threaded.wasm",
      ]),
    );
    for (const { path, integrity } of files) {
      const hash = createHash("sha384").update(readFileSync(join(work, "assets", path)));
      expect(integrity).toBe(`sha384-${hash.digest("base64")}`);
    }
  },
);

test("Ctrl-C ends every process", async () => {
  expect(withDescendants(dev.id).length).toBeGreaterThan(6);
  expect(await dev.interrupt()).toEqual([]);
  await dev.untilSaid(/stopped; the state is kept/);
});
