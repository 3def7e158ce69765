/** Pages without a bundler: the folder of `waggle assets` on one origin, the examples' pages on another, in Chromium. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Asset } from "../../packages/cli/src/build-assets.ts";
import { fileServer } from "../fixtures/file-server.ts";
import type { LocalServer } from "../fixtures/local-server.ts";
import { askInPanel, openExample, settledState } from "../fixtures/open-example.ts";
import { sampleSize } from "../fixtures/long.ts";

const EXAMPLES = join(import.meta.dirname, "../../docs/examples/pages");
const MAIN = join(import.meta.dirname, "../../packages/cli/src/main.ts");
const CROSS_ORIGIN = { "access-control-allow-origin": "*" };

let folder: string;
let assets: readonly Asset[];
const files = new Map<string, Uint8Array>();
const servers: LocalServer[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waggle-assets-"));
  const stale = { path: "parts/of-another-release.js", sizeBytes: 0, integrity: "" };
  writeFileSync(join(folder, "assets.json"), JSON.stringify({ files: [stale] }));
  mkdirSync(join(folder, "parts"));
  writeFileSync(join(folder, stale.path), "");
  writeFileSync(join(folder, "robots.txt"), "of the site");
  const args = ["--conditions=source", "--disable-warning=ExperimentalWarning"];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...args, MAIN, "assets", folder, "--json"],
    { encoding: "utf8" },
  );
  if (stderr !== "") throw new Error(stderr);
  assets = (JSON.parse(stdout) as { readonly files: readonly Asset[] }).files;
  for (const { path } of assets) files.set(path, new Uint8Array(readFileSync(join(folder, path))));
});

afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Serves the files on another origin, under a folder. @param missing - what the path of a file begins with that it does not have */
async function hostAssets(missing: string | null = null): Promise<string> {
  const hosted = [...files].filter(([path]) => missing === null || !path.startsWith(missing));
  const server = await fileServer(
    new Map(hosted.map(([path, bytes]) => [`waggle/${path}`, bytes])),
    CROSS_ORIGIN,
  );
  servers.push(server);
  return `${server.origin}/waggle`;
}

/** The example's page with the address of the hosted files. */
function examplePage(name: string, address: string): Map<string, string> {
  const html = readFileSync(join(EXAMPLES, name, "index.html"), "utf8");
  return new Map([["index.html", html.replaceAll("https://files.example/waggle", address)]]);
}

test("the list has every file with the hash that browsers check", () => {
  const listed = JSON.parse(readFileSync(join(folder, "assets.json"), "utf8")) as {
    files: Asset[];
  };
  expect(listed.files).toEqual(assets);
  expect(assets.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["waggle.js", "worker/wasm.js", "worker/webgpu.js"]),
  );
  expect(existsSync(join(folder, "parts/of-another-release.js"))).toBe(false);
  expect(existsSync(join(folder, "robots.txt"))).toBe(true);
  expect(assets.map(({ path }) => path)).not.toContain("robots.txt");
  for (const { path, sizeBytes, integrity } of assets) {
    const bytes = readFileSync(join(folder, path));
    expect(sizeBytes).toBe(bytes.length);
    expect(integrity).toBe(`sha384-${createHash("sha384").update(bytes).digest("base64")}`);
  }
});

test.for(["script-tag", "import-map"])(
  "%s: a page on another origin than its files answers a request",
  async (name) => {
    const address = await hostAssets();
    const { page, errors, requested, close } = await openExample(examplePage(name, address));
    try {
      expect(await settledState(page)).toMatch(/^ready/);
      await askInPanel(page, "Hello.");
      // The model is small.
      expect(requested.filter((url) => url.endsWith(".wasm"))).toEqual([]);
      const listed = new Set(assets.map(({ path }) => `${address}/${path}`));
      expect(requested.filter((url) => url.startsWith(address) && !listed.has(url))).toEqual([]);
      expect(errors).toEqual([]);
    } finally {
      await close();
    }
  },
);

test("an isolated page works with files of another origin", async () => {
  const address = await hostAssets();
  const isolated = {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
  };
  const { page, errors, close } = await openExample(
    new Map([
      [
        "index.html",
        `<!doctype html><script type="module">
          import { createAgent } from "${address}/waggle.js";
          globalThis.agent = createAgent({ edgeUrl: "https://edge.example", siteKey: "my-site" });
          await agent.ready;
          globalThis.answered = (await agent.send("Hello.").finished).stopReason;
        </script>`,
      ],
    ]),
    isolated,
  );
  try {
    await expect
      .poll(() => page.evaluate(() => (globalThis as { answered?: string }).answered), {
        timeout: 60_000,
      })
      .toBeTypeOf("string");
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    expect(errors).toEqual([]);
  } finally {
    await close();
  }
});

const MISSING = [
  ["worker/wasm.js", /worker/],
  ["parts/simd-backend", /script with the WebAssembly kernels/],
] as const;

test.for(MISSING.slice(0, sampleSize(1, 2)))(
  "without %s the panel says so, and shows no progress",
  async ([missing, says]) => {
    const address = await hostAssets(missing);
    const { page, close } = await openExample(examplePage("script-tag", address));
    try {
      expect(await settledState(page)).toMatch(/^The assistant/);
      const panel = page.locator("waggle-agent");
      await panel.evaluate((element) => element.toggleAttribute("developer", true));
      expect(await settledState(page)).toMatch(says);
      expect(await page.locator("waggle-agent progress").isVisible()).toBe(false);
      expect(
        await page.locator("waggle-agent").getByRole("button", { name: "Try again" }).isVisible(),
      ).toBe(true);
    } finally {
      await close();
    }
  },
);

test("under a strict Content Security Policy without unsafe-inline the panel is styled and answers", async () => {
  const address = await hostAssets();
  const { origin } = new URL(address);
  const policy = [
    "default-src 'none'",
    `script-src ${origin} 'wasm-unsafe-eval'`,
    `worker-src blob: ${origin}`,
    `connect-src ${origin} https://edge.example`,
  ].join("; ");
  const html = examplePage("script-tag", address)
    .get("index.html")
    ?.replace(/ style="[^"]*"/, "");
  const { page, close } = await openExample(new Map([["index.html", html ?? ""]]), {
    "content-security-policy": policy,
  });
  try {
    expect(await settledState(page)).toMatch(/^ready/);
    await askInPanel(page, "Hello.");
    const panel = page.locator("waggle-agent .panel");
    expect(await panel.evaluate((element) => getComputedStyle(element).display)).toMatch(
      /flex|grid/,
    );
  } finally {
    await close();
  }
});
