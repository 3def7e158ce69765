/**
 * What a page with the assistant downloads before its first token: a production build with `createAgent` and the panel,
 * opened in Chromium with an empty profile. The scripts that were requested are compressed and added up.
 */
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { expect, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
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
    const first = () =>
      page.evaluate(() =>
        (globalThis as unknown as { firstToken(): Promise<string> }).firstToken(),
      );
    expect(await first()).toBe("token");

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
