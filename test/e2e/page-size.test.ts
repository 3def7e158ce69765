/**
 * What a page with the assistant downloads before its first token: a production build with `createAgent` and the panel,
 * opened in Chromium with an empty profile. The scripts that were requested are compressed and added up. A page whose model
 * runs on onnxruntime is opened too, and its binaries are counted.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium, type Page } from "playwright-core";
import { expect, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { NANO_MODEL } from "../fixtures/demo.ts";
import { builtPage } from "../fixtures/built-page.ts";
import { fileServer } from "../fixtures/file-server.ts";
import { recordedEdge } from "../fixtures/recorded-edge.ts";

/** 150 KB, of page, worker, the grammar of the tool's calls and the kernels together. */
const MAX_BYTES = 150 * 1024;

const EDGE = "http://127.0.0.1:8787";

const PAGE = `
import { createAgent } from "@waggle/embed";
import "@waggle/embed/element";
const element = document.body.appendChild(document.createElement("waggle-agent"));
const agent = createAgent({
  edgeUrl: "${EDGE}",
  siteKey: "local-demo",
  tools: [{
    name: "search", description: "Find products.",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    run: ({ query }) => ["red mug", "blue mug"].filter((name) => name.includes(query)),
  }],
});
element.agent = agent;
globalThis.firstToken = async () => {
  // The model may begin with a call.
  for await (const { type } of agent.send("Hello.")) {
    if (type === "text-delta" || type === "tool-call") return "token";
  }
  return "none";
};
`;

/** Small models run on onnxruntime only in threads. */
const IN_THREADS = `
import { createBrowserPolicy } from "@waggle/runtime";
globalThis.firstToken = async () => {
  const modelFiles = new Map();
  for (const path of ["config.json", "model.safetensors"]) {
    modelFiles.set(path, new Uint8Array(await (await fetch("/model/" + path)).arrayBuffer()));
  }
  const baseModel = "0".repeat(64);
  const policy = await createBrowserPolicy({ modelFiles, baseModel, device: "wasm", threads: 2 });
  const session = await policy.createContext();
  session.append([1, 2, 3]);
  let first = "none";
  await session.generate({
    sampling: { temperature: 1, topK: 0, topP: 1, seed: 7 },
    stopTokenIds: [],
    maxTokens: 2,
    onToken: () => void (first = "token"),
  });
  return first;
};
`;

const ISOLATED = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

const firstTokenOf = (page: Page): Promise<string> =>
  page.evaluate(() => (globalThis as unknown as { firstToken(): Promise<string> }).firstToken());

test("a page loads at most 150 KB of compressed JavaScript before its first token, and no WASM for a small model", async () => {
  const files = await builtPage(PAGE);
  const server = await fileServer(files);
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage();
    const requested: string[] = [];
    page.on("request", (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin === server.origin) requested.push(pathname.slice(1));
    });
    await page.route(`${EDGE}/**`, await recordedEdge(new Set()));
    await page.goto(`${server.origin}/`);
    expect(await firstTokenOf(page)).toBe("token");

    const wasm = requested.filter((path) => path.endsWith(".wasm"));
    expect(wasm).toEqual([]);
    const scripts = requested.filter((path) => /\.m?js$/.test(path));
    // No script is fetched twice. The kernels, the worker and the page must be among them, or the sum means nothing.
    expect(scripts.filter((path, index) => scripts.indexOf(path) < index)).toEqual([]);
    expect(scripts.map((path) => path.replace(/^assets\/|-[\w-]{8}\.m?js$/g, ""))).toEqual(
      expect.arrayContaining(["index", "wasm", "simd-backend"]),
    );
    const sizes = scripts
      .map((path) => ({ path, bytes: gzipSync(files.get(path) ?? "", { level: 9 }).length }))
      .toSorted((a, b) => b.bytes - a.bytes);
    const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
    const table = sizes.map(({ path, bytes }) => `${String(bytes).padStart(8)}  ${path}`);
    expect(
      sum <= MAX_BYTES ? "" : [`compressed: ${sum}, limit ${MAX_BYTES}`, ...table].join("\n"),
    ).toBe("");
  } finally {
    await browser.close();
    server.close();
  }
});

test("a page whose model runs on onnxruntime fetches its binary once", async () => {
  const files = await builtPage(IN_THREADS);
  for (const name of ["config.json", "model.safetensors"]) {
    files.set(`model/${name}`, new Uint8Array(readFileSync(join(NANO_MODEL, name))));
  }
  const server = await fileServer(files, ISOLATED);
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage();
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.goto(`${server.origin}/`);
    expect(await firstTokenOf(page)).toBe("token");
    // The check of the device and the model each start a module. The build has onnxruntime's binary for WebGPU too.
    expect(requested.filter((path) => path.endsWith(".wasm"))).toEqual([
      expect.stringMatching(/\/ort-wasm-simd-threaded-[\w-]{8}\.wasm$/),
    ]);
  } finally {
    await browser.close();
    server.close();
  }
});
