/**
 * Runs the guide of the runtime: every code block is compiled against the built packages; blocks for pages run in
 * Chromium after `vite build`, and blocks for Node run in Node. The nano model replaces Hugging Face under the name
 * that the guide uses.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build, preview, type PreviewServer } from "vite";
import { WAGGLE_VERSION } from "@waggle/protocol";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const NANO = join(ROOT, "packages", "model", "nano");
const COMMIT = "0".repeat(40);

type Block = { readonly info: string; readonly code: string };

function guideBlocks(): Block[] {
  const guide = readFileSync(join(ROOT, "docs", "how-to", "runtime.md"), "utf8");
  return Array.from(
    guide.matchAll(/^```ts ?(.*)\n([\s\S]*?)^```$/gm),
    ([, info = "", code = ""]) => ({
      info,
      code,
    }),
  );
}

const blocks = guideBlocks();
/** The blocks for one environment, which share their names. */
const joined = (info: string) =>
  blocks
    .filter((block) => block.info === info)
    .map(({ code }) => code)
    .join("\n");

let folder: string;
let browser: Browser;
let server: PreviewServer;

/** @returns the compiler's output; empty if there are no errors. */
function tsc(...args: readonly string[]): string {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [compiler, ...args], { cwd: ROOT, encoding: "utf8" }).stdout;
}

/** The two routes of the Hub that a public model needs. */
async function answerAsHub(route: Route): Promise<void> {
  const { pathname } = new URL(route.request().url());
  const headers = { "access-control-allow-origin": "*" };
  if (pathname === "/api/models/Qwen/Qwen3-0.6B/revision/main") {
    const siblings = readdirSync(NANO).map((rfilename) => ({ rfilename }));
    return route.fulfill({ json: { sha: COMMIT, siblings }, headers });
  }
  const prefix = `/Qwen/Qwen3-0.6B/resolve/${COMMIT}/`;
  if (!pathname.startsWith(prefix)) return route.fulfill({ status: 404, headers });
  return route.fulfill({ path: join(NANO, pathname.slice(prefix.length)), headers });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "waggle-guide-"));
  const complaints = tsc("-b", "packages/runtime");
  if (complaints !== "") throw new Error(complaints);
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  symlinkSync(join(ROOT, "packages/model"), join(folder, "models"));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write("package.json", JSON.stringify({ private: true, type: "module" }));
  write("page.ts", joined("page"));
  write("shared.ts", joined("shared"));
  write("node.ts", joined("node"));
  for (const { info, code } of blocks) {
    const file = /^file=(.+)$/.exec(info)?.[1];
    if (file !== undefined) write(file, code);
  }
  const html = (script: string) => `<!doctype html><script type="module" src="${script}"></script>`;
  write("index.html", html("page.ts"));
  write("shared.html", html("shared.ts"));
  const compilerOptions = {
    target: "ES2024",
    module: "ESNext",
    moduleResolution: "bundler",
    lib: ["ES2024", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck: true,
    noEmit: true,
  };
  write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a built page, served as the guide describes, and waits for its last line. */
async function visit(path: string, last: string): Promise<string[]> {
  const page = await browser.newPage();
  const said: string[] = [];
  const errors: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => errors.push(error.message));
  await page.route("https://huggingface.co/**", answerAsHub);
  // The check has its own tests, and takes a software GPU half a minute.
  await page.addInitScript(
    (checks) => {
      localStorage.setItem("waggle-device-checks", checks);
    },
    JSON.stringify({
      [`${WAGGLE_VERSION} webgpu google/swiftshader qwen3 4/2x32 f32`]: { verdict: "ok" },
    }),
  );
  await page.goto(new URL(path, server.resolvedUrls?.local[0]).href);
  await expect.poll(() => [said.includes(last), ...errors], { timeout: 60_000 }).toEqual([true]);
  await page.close();
  return said;
}

test("the guide has blocks of every kind", () => {
  const kinds = new Set(blocks.map(({ info }) => info));
  // Blocks without a kind are compiled by test/contract/docs-snippets.test.ts and not run.
  expect([...kinds].toSorted()).toEqual(["", "file=model-worker.ts", "node", "page", "shared"]);
});

test("every block compiles against the built packages", () => {
  expect(tsc("-p", join(folder, "tsconfig.json"))).toBe("");
});

describe("a built page with the headers that the guide names", () => {
  beforeAll(async () => {
    const input = Object.fromEntries(
      ["index.html", "shared.html", "model-worker.ts"].map((path) => [path, join(folder, path)]),
    );
    await build({
      root: folder,
      logLevel: "warn",
      build: {
        chunkSizeWarningLimit: 1000,
        rollupOptions: {
          input,
          output: {
            entryFileNames: ({ name }) =>
              name.startsWith("model-worker") ? "model-worker.js" : "assets/[name]-[hash].js",
          },
        },
      },
    });
    const headers = {
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
      "Content-Security-Policy":
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' https://huggingface.co",
    };
    server = await preview({ root: folder, preview: { port: 0, host: "127.0.0.1", headers } });
  });

  test("runs the blocks of the page", async () => {
    const said = await visit("/", "512");
    const expected = ["downloadable", "100 %", "wasm wasm x1 512", "4 true", "1"];
    expect(said).toEqual(expect.arrayContaining(expected));
    expect(said.filter((line) => line.startsWith("search {query: "))).toHaveLength(1);
    expect(said.filter((line) => /Content Security Policy/.test(line))).toEqual([]);
  });

  test("runs a policy in its service worker", async () => {
    expect(await visit("/shared.html", "webgpu")).not.toEqual([]);
  });
});

test("the blocks of Node run in Node", () => {
  const out = execFileSync(process.execPath, ["node.ts"], { cwd: folder, encoding: "utf8" });
  expect(out).toMatch(/^(yes|no) true\n1 2\navailable\n$/);
});
