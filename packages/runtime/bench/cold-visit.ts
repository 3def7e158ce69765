/**
 * The first two visits to a page with the assistant: a production build in a new browser profile, over a slow line. The
 * page's files are compressed and cached as a static host does; the model's are not compressed, because the edge does not
 * compress them.
 */
import { extname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath } from "../../dev/src/loop/chromium.ts";
import { builtPage } from "../../../test/fixtures/built-page.ts";
import { localServer } from "../../../test/fixtures/local-server.ts";
import { edgeAnswers } from "../../../test/fixtures/recorded-edge.ts";
import { slowLine } from "./slow-line.ts";

/** 20 Mbit/s, and 40 ms of travel. */
export const LINE = { bitsPerSecond: 20e6, roundTripMs: 40 };

/** What one visit took. */
type Visit = {
  /** All bytes on the line, with headers. */
  readonly received: number;
  /** Milliseconds from the navigation to the first text of an answer. */
  readonly firstTextMs: number;
  /** Milliseconds from the navigation to the end of the answer. */
  readonly answerMs: number;
};

/** A first visit. */
export type ColdVisit = Visit & {
  /** Of the answers' bodies as they were sent. */
  readonly bytes: { readonly [kind in "JavaScript" | "WASM" | "model" | "other"]: number };
  /** The visit after it, with the same profile. */
  readonly second: Visit;
};

/** Between the visits. The browser then stores what it compiled. */
const PAUSE_MS = 3000;

const PAGE = `
import { createAgent } from "@waggle/embed";
import "@waggle/embed/element";
const element = document.body.appendChild(document.createElement("waggle-agent"));
const agent = createAgent({
  edgeUrl: location.origin, siteKey: "bench", device: "wasm",
  tools: [{
    name: "search", description: "find products",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    run: ({ query }) => ["red mug", "blue mug"].filter((name) => name.includes(query)),
  }],
});
element.agent = agent;
globalThis.visit = (async () => {
  let firstTextMs = null;
  for await (const { type } of agent.send("Find a red mug.")) {
    if (type === "text-delta") firstTextMs ??= performance.now();
  }
  return { firstTextMs, answerMs: performance.now() };
})();
`;

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};
const KINDS: { readonly [extension: string]: keyof ColdVisit["bytes"] } = {
  ".js": "JavaScript",
  ".mjs": "JavaScript",
  ".wasm": "WASM",
};

/** Builds the page once. The function it returns visits it twice in a new browser each time. */
export async function coldVisits(): Promise<() => Promise<ColdVisit>> {
  const files = new Map(
    [...(await builtPage(PAGE))].map(([path, content]) => [path, gzipSync(content, { level: 9 })]),
  );
  const edge = await edgeAnswers();
  return async () => {
    const bytes = { JavaScript: 0, WASM: 0, model: 0, other: 0 };
    const server = await localServer(async ({ url }) => {
      const { pathname } = new URL(url);
      const path = pathname === "/" ? "index.html" : pathname.slice(1);
      const extension = extname(path);
      const file = files.get(path);
      if (file !== undefined) {
        bytes[KINDS[extension] ?? "other"] += file.length;
        return new Response(file, {
          headers: {
            "content-encoding": "gzip",
            "content-type": TYPES[extension] ?? "application/octet-stream",
            "content-length": String(file.length),
            ...(extension !== ".html" && { "cache-control": "max-age=31536000, immutable" }),
          },
        });
      }
      const body = new Uint8Array(await edge(pathname).arrayBuffer());
      bytes[pathname.startsWith("/v1/objects/") ? "model" : "other"] += body.length;
      return new Response(body, {
        status: edge(pathname).status,
        headers: { "content-length": String(body.length) },
      });
    });
    const line = await slowLine(server.origin, LINE);
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
    try {
      const context = await browser.newContext();
      const visit = async (): Promise<Visit> => {
        const before = line.received();
        const page = await context.newPage();
        await page.goto(line.origin, { waitUntil: "commit" });
        await page.waitForFunction(() => "visit" in globalThis);
        const times = await page.evaluate(
          () =>
            (globalThis as unknown as { visit: Promise<Pick<Visit, "firstTextMs" | "answerMs">> })
              .visit,
        );
        const received = line.received() - before;
        await sleep(PAUSE_MS);
        await page.close();
        return { received, ...times };
      };
      const first = await visit();
      const ofFirst = { ...bytes };
      return { bytes: ofFirst, ...first, second: await visit() };
    } finally {
      await browser.close();
      line.close();
      server.close();
    }
  };
}
