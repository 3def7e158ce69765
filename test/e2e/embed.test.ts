/**
 * The embed as a stranger meets it: packed tarballs in an empty Vite project, exactly the lines of the README,
 * a built page in Chromium. The edge is stood in for by its published answers; the model and its worker are real.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeModelFolder } from "@waggle/model";
import type { PolicyManifest } from "@waggle/protocol";
import { type Browser, chromium, type Page, type Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { build, preview, type PreviewServer } from "vite";
import { CHROMIUM_FLAGS, chromiumPath } from "../../scripts/chromium.mjs";

const ROOT = join(import.meta.dirname, "..", "..");
const NANO = join(ROOT, "packages", "model", "nano");
const PACKAGES = [
  ...["protocol", "text", "model", "learning", "collector", "runtime", "agent", "embed"],
];
const EDGE = "http://127.0.0.1:8787";

/** The first HTML block of the README. */
function readmeLines(): string {
  const readme = readFileSync(join(ROOT, "packages", "embed", "README.md"), "utf8");
  const block = /```html\n([\s\S]*?)```/.exec(readme)?.[1];
  if (block === undefined) throw new Error("the README of embed must hold an html block");
  return block;
}

let folder: string;
let browser: Browser;
let server: PreviewServer;
let page: Page;
const pageErrors: string[] = [];
const asked = new Set<string>();

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function edgeOf(): Promise<(route: Route) => Promise<void>> {
  const files = readdirSync(NANO)
    .filter((path) => !path.endsWith(".md"))
    .map((path) => ({ path, bytes: new Uint8Array(readFileSync(join(NANO, path))) }));
  const baseModel = await describeModelFolder(files);
  const manifest: PolicyManifest = {
    channel: "stable",
    policy: {
      version: 0,
      parent: null,
      baseModel: baseModel.sha256,
      adapter: null,
      status: "stable",
      evaluation: null,
      step: 0,
      publishedAt: new Date(0).toISOString(),
    },
    baseModel,
  };
  const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
  return async (route) => {
    const { pathname } = new URL(route.request().url());
    asked.add(pathname);
    if (pathname === "/v1/sessions") {
      const json = {
        token: "token",
        expiresAt: "2099-01-01T00:00:00.000Z",
        visitorId: crypto.randomUUID(),
        visitorToken: "visitor",
        channel: "stable",
      };
      return route.fulfill({ json, headers: cors });
    }
    if (pathname === "/v1/policy") return route.fulfill({ json: manifest, headers: cors });
    const hash = pathname.split("/").at(-1);
    const path = baseModel.files.find((file) => file.sha256 === hash)?.path;
    if (path !== undefined) return route.fulfill({ path: join(NANO, path), headers: cors });
    return route.fulfill({ status: 404, json: {}, headers: cors });
  };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waggle-embed-"));
  run(
    process.execPath,
    [
      join(ROOT, "node_modules/typescript/bin/tsc"),
      "-b",
      ...PACKAGES.map((name) => `packages/${name}`),
    ],
    ROOT,
  );
  const tarballs = PACKAGES.map((name) => {
    const packed = run(
      "npm",
      ["pack", "--silent", "--pack-destination", folder],
      join(ROOT, "packages", name),
    );
    return `./${packed.trim().split("\n").at(-1)}`;
  });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  run(
    "npm",
    ["install", "--prefer-offline", "--no-audit", "--no-fund", "--silent", ...tarballs],
    folder,
  );
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><title>Empty</title>\n${readmeLines()}`,
  );
  await build({ root: folder, configFile: false, logLevel: "warn" });
  server = await preview({
    root: folder,
    configFile: false,
    preview: { port: 0, host: "127.0.0.1" },
  });
  browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  page = await browser.newPage();
  page.on("pageerror", (error) => pageErrors.push(error.message));
  await page.route(`${EDGE}/**`, await edgeOf());
  await page.goto(server.resolvedUrls?.local[0] ?? "");
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the README embeds the assistant in at most 15 lines", () => {
  expect(readmeLines().trimEnd().split("\n").length).toBeLessThanOrEqual(15);
});

test("the packed element loads the model and becomes ready", async () => {
  const panel = page.locator("waggle-agent");
  const state = panel.locator(".state:is([data-state=ready], [data-state=error])");
  await state.waitFor({ timeout: 60_000 });
  expect(await panel.getByRole("alert").allTextContents()).toEqual([]);
  expect(await state.textContent()).toBe("ready");
  expect(await panel.locator("footer").textContent()).toMatch(/policy 0 · wasm x1/);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  expect(pageErrors).toEqual([]);
});

test("a request is answered by the policy in the packed worker, and nothing was sent", async () => {
  const panel = page.locator("waggle-agent");
  await panel.getByRole("textbox").fill("Add the City Jacket to my cart.");
  await panel.getByRole("textbox").press("Enter");
  await panel.getByRole("button", { name: "Good answer" }).waitFor({ timeout: 60_000 });
  const said = await panel.locator("article").innerText();
  expect(said.length).toBeGreaterThan("Assistant: ".length);
  const sent = await page.evaluate(() => {
    const element = document.querySelector("waggle-agent") as unknown as {
      agent: { outbox(): Promise<{ waiting: number; sent: number }> };
    };
    return element.agent.outbox();
  });
  expect(sent).toMatchObject({ waiting: 0, sent: 0 });
});

test("a page that names no edge tools asks the edge for a session, its policy and files only", () => {
  const others = [...asked].filter((path) => !path.startsWith("/v1/objects/"));
  expect(others.sort()).toEqual(["/v1/policy", "/v1/sessions"]);
});
