/**
 * `waggle dev` in a project outside of the repository, made by `npm create waggle`, with the packages as they are
 * published: its page and the practice page open, a change reloads the page, a killed process comes back, and Ctrl-C ends
 * everything.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { linkProject } from "../fixtures/linked-project.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";
import { processes, untilEnded, withDescendants } from "../fixtures/processes.ts";

const work = mkdtempSync(join(tmpdir(), "waggle-own-project-"));
const site = join(work, "rooms");
const MAIN = join(work, "node_modules", "@waggle", "cli", "dist", "main.js");
const ENVIRONMENT = { ...process.env, NODE_OPTIONS: "", CI: "true" };
const lines: string[] = [];
let dev: ChildProcess;
let browser: Browser;

function run(main: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [main, ...args], {
    cwd: site,
    encoding: "utf8",
    env: ENVIRONMENT,
  });
}

async function untilSaid(pattern: RegExp): Promise<string> {
  for (const deadline = Date.now() + 240_000; Date.now() < deadline;) {
    const line = lines.find((said) => pattern.test(said));
    if (line !== undefined) return line;
    if (dev.exitCode !== null) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waggle dev never said ${String(pattern)}:\n${lines.join("\n")}`);
}

const addressOf = async (title: string): Promise<string> => {
  const line = await untilSaid(new RegExp(`${title} +http`));
  return /http\S+/.exec(line)?.[0] ?? "";
};

async function open(title: string): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(await addressOf(title));
  return page;
}

/** A base that trains in seconds. It is not for use. */
function withSmallBase(): void {
  const file = join(site, "waggle.config.ts");
  const config = readFileSync(file, "utf8");
  writeFileSync(file, config.replace("languages:", "base: { steps: 20 },\n  languages:"));
}

beforeAll(async () => {
  linkProject(work, packedPackages());
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
  withSmallBase();
  dev = spawn(process.execPath, [MAIN, "dev"], { cwd: site, env: ENVIRONMENT });
  for (const stream of [dev.stdout, dev.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => lines.push(...text.split("\n")));
  }
  await addressOf("edge");
  browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
}, 420_000);

afterAll(async () => {
  await browser?.close();
  if (dev?.exitCode === null) dev.kill("SIGTERM");
  await untilEnded([dev?.pid ?? 0]);
  rmSync(work, { recursive: true, force: true });
});

test("the template's own tests pass, and the site is ready", () => {
  const vitest = run(join(work, "node_modules", "vitest", "vitest.mjs"), "run");
  expect(stripVTControlCharacters(vitest.stdout)).toMatch(/Tests +[34] passed/);
  expect(run(MAIN, "check", ".").stdout).toMatch(/ is ready\n$/);
}, 60_000);

test("the site's own page opens, and a change of its tools reloads it", async () => {
  const page = await open("meeting-rooms");
  await expect.poll(() => page.locator("h1").innerText()).toBe("Meeting rooms");
  await page.locator("waggle-agent").getByRole("textbox").waitFor();
  await page.evaluate(() => Object.assign(window, { isOld: true }));
  const file = join(site, "src", "tools.ts");
  writeFileSync(file, `${readFileSync(file, "utf8")}\nexport const CHANGED = true;\n`);
  await expect.poll(() => page.evaluate(() => "isOld" in window), { timeout: 20_000 }).toBe(false);
}, 60_000);

test("the practice page shows the environment's tasks", async () => {
  const page = await open("practice");
  const request = page.locator("#request");
  await expect
    .poll(() => request.innerText())
    .toMatch(/a room .*on [a-z]+day at \d\d:\d\d|^On [a-z]+day at \d\d:\d\d/);
  expect(await page.locator("#name").innerText()).toBe("meeting-rooms");
}, 60_000);

test("a change of the environment starts the trainer again", async () => {
  const file = join(site, "practice", "environment.ts");
  writeFileSync(file, `${readFileSync(file, "utf8")}\nexport const CHANGED = true;\n`);
  await untilSaid(/trainer starts again: environment\.ts changed/);
  expect(await untilSaid(/trainer is running again/)).toContain("waggle");
}, 60_000);

test("a killed process of waggle dev comes back at its address", async () => {
  const practice = await addressOf("practice");
  const mark = `--port ${new URL(practice).port}`;
  const served = processes().find(({ parent, text }) => parent === dev.pid && text.includes(mark));
  process.kill(served?.id ?? Number.NaN, "SIGKILL");
  await untilSaid(/practice is running again/);
  expect((await fetch(practice)).status).toBe(200);
}, 60_000);

test("a dry run of the deployment bundles the Worker with the site's settings", () => {
  const { status, stdout } = run(MAIN, "deploy", "--dry-run");
  expect(status).toBe(0);
  expect(stdout).toContain('env.TASK_ENVIRONMENT ("meeting-rooms")');
  const refused = run(MAIN, "deploy");
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain("npx wrangler d1 create waggle-meeting-rooms");
}, 60_000);

test("waggle assets writes what a page without a bundler loads, from the installed packages", () => {
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
}, 60_000);

test("Ctrl-C ends every process", async () => {
  const all = withDescendants(dev.pid ?? 0);
  expect(all.length).toBeGreaterThan(5);
  dev.kill("SIGINT");
  expect(await untilEnded(all)).toEqual([]);
  await expect.poll(() => dev.exitCode).toBe(0);
}, 60_000);
