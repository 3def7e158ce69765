/**
 * The first two visits to a page with the assistant: a production build in a new browser profile, over a slow line. The
 * page's files are compressed and cached as a static host does, and the model's as the edge does.
 */
import { extname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { PolicyManifest } from "@waggle/protocol";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath } from "../../dev/src/loop/chromium.ts";
import { builtPage } from "../../../test/fixtures/built-page.ts";
import { localServer } from "../../../test/fixtures/local-server.ts";
import { edgeAnswers } from "../../../test/fixtures/recorded-edge.ts";
import { compressedForm } from "../../../trainer/src/edge/compressed-form.ts";
import { type Line, slowLine } from "./slow-line.ts";
import { type VisitParts, visitParts } from "./visit-parts.ts";

/** 20 Mbit/s, and 40 ms of travel. */
export const LINE: Line = { bitsPerSecond: 20e6, roundTripMs: 40 };

/** As fast as this machine. */
export const UNTHROTTLED: Line = { bitsPerSecond: Number.POSITIVE_INFINITY, roundTripMs: 0 };

/** What one visit took. Milliseconds are from the navigation. */
export type Visit = {
  /** All bytes on the line, with headers. */
  readonly received: number;
  readonly firstTokenMs: number;
  /** The first text of an answer: the model may call a tool before. */
  readonly firstTextMs: number;
  readonly answerMs: number;
  /** Processor time of the browser to the first token, of all cores. */
  readonly processorMs: number;
  readonly parts: VisitParts;
};

/** A first visit. */
export type ColdVisit = Visit & {
  /** Of the answers' bodies as they were sent, to the first token. */
  readonly bytes: { readonly [kind in "JavaScript" | "WASM" | "model" | "other"]: number };
  /** The visit after it, with the same profile. */
  readonly second: Visit;
};

/** Between the visits. The browser then stores what it compiled. */
const PAUSE_MS = 3000;

type FirstToken = { readonly askedMs: number; readonly tokenMs: number };
type TextTimes = Pick<Visit, "firstTextMs" | "answerMs">;

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

/** Notes when the page first asks a worker for tokens, and when the first one comes. */
function noteFirstToken(): void {
  const post = Reflect.get(Worker.prototype, "postMessage") as (...sent: never[]) => void;
  const { promise, resolve } = Promise.withResolvers<FirstToken>();
  Object.assign(globalThis, { first: promise });
  let askedMs = 0;
  Worker.prototype.postMessage = function (this: Worker, ...sent: [never, never]): void {
    const { id, request } = sent[0] as { id: number; request?: { kind: string } };
    if (request?.kind === "generate" && askedMs === 0) {
      askedMs = performance.now();
      this.addEventListener("message", ({ data }: MessageEvent<{ id: number }>) => {
        if (data.id === id) resolve({ askedMs, tokenMs: performance.now() });
      });
    }
    Reflect.apply(post, this, sent);
  };
}

/** What the trainer stores beside the model's files and the edge sends, by path. */
async function compressedObjects(
  edge: (pathname: string) => Response,
): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const { baseModel } = (await edge("/v1/policy").json()) as PolicyManifest;
  const objects = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const { sha256 } of baseModel.files) {
    const path = `/v1/objects/${sha256}`;
    const form = await compressedForm(new Uint8Array(await edge(path).arrayBuffer()));
    if (form !== null) objects.set(path, new Uint8Array(form));
  }
  return objects;
}

/** Builds the page once. The function it returns visits it twice in a new browser each time. */
export async function coldVisits(): Promise<(line: Line) => Promise<ColdVisit>> {
  const files = new Map(
    [...(await builtPage(PAGE))].map(([path, content]) => [path, gzipSync(content, { level: 9 })]),
  );
  const edge = await edgeAnswers("default");
  const objects = await compressedObjects(edge);
  return async (lineSpeed) => {
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
      const compressed = objects.get(pathname);
      const body = compressed ?? new Uint8Array(await edge(pathname).arrayBuffer());
      const isObject = pathname.startsWith("/v1/objects/");
      bytes[isObject ? "model" : "other"] += body.length;
      return new Response(body, {
        status: edge(pathname).status,
        headers: {
          "content-length": String(body.length),
          ...(isObject && {
            "cache-control": "public, max-age=31536000, immutable",
            vary: "accept-encoding",
          }),
          ...(compressed !== undefined && { "content-encoding": "gzip" }),
        },
      });
    });
    const line = await slowLine(server.origin, lineSpeed);
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
    try {
      const context = await browser.newContext();
      await context.addInitScript(noteFirstToken);
      const devtools = await browser.newBrowserCDPSession();
      /** Processor time of all of the browser's processes, in milliseconds. */
      const processor = async (): Promise<number> => {
        const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
        return processInfo.reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
      };
      /** Until the first token of the first visit. */
      let ofFirst: typeof bytes | null = null;
      const visit = async (): Promise<Visit> => {
        const before = line.received();
        const processorBefore = await processor();
        const page = await context.newPage();
        await page.goto(line.origin, { waitUntil: "commit" });
        await page.waitForFunction(() => "visit" in globalThis);
        // Without a token, the visit rejects.
        const first = await page.evaluate(async () => {
          const { first, visit } = globalThis as unknown as {
            first: Promise<FirstToken>;
            visit: Promise<TextTimes>;
          };
          await Promise.race([first, visit]);
          return first;
        });
        ofFirst ??= { ...bytes };
        const processorMs = (await processor()) - processorBefore;
        const times = await page.evaluate(
          () => (globalThis as unknown as { visit: Promise<TextTimes> }).visit,
        );
        const parts = await visitParts(page, first);
        const received = line.received() - before;
        await sleep(PAUSE_MS);
        await page.close();
        return { received, firstTokenMs: first.tokenMs, processorMs, ...times, parts };
      };
      const first = await visit();
      return { bytes: ofFirst ?? bytes, ...first, second: await visit() };
    } finally {
      await browser.close();
      line.close();
      server.close();
    }
  };
}
