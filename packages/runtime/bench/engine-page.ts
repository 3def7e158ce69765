/**
 * A production build of a page with our runtime and wllama. The browser's profile is on disk, because other profiles keep a
 * page's storage in memory. The page is cross-origin isolated, so that threads are allowed.
 */
import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { Readable } from "node:stream";
import { chromium } from "playwright-core";
import { CHROMIUM_FLAGS, chromiumPath } from "../../dev/src/loop/chromium.ts";
import { builtPage } from "../../../test/fixtures/built-page.ts";
import { localServer } from "../../../test/fixtures/local-server.ts";
import type { BenchModelName } from "./bench-models.ts";
import type { EngineCalls } from "./page/engines.ts";
import { ProcessUsage } from "./process-usage.ts";
import { peerFolder } from "./wllama-files.ts";
import type { PeerFormat } from "./wllama-files.ts";

/** One open page. */
export type EnginePage = {
  /** Calls a function of `page/engines.ts`. Arguments and results are sent as JSON. */
  readonly call: <Name extends keyof EngineCalls>(
    name: Name,
    ...given: Parameters<EngineCalls[Name]>
  ) => Promise<Awaited<ReturnType<EngineCalls[Name]>>>;
  readonly usage: ProcessUsage;
  /** Ends the page's workers and opens it again: a second visit with the same storage. */
  readonly revisit: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The built page and its server. */
export type EnginePages = {
  readonly open: () => Promise<EnginePage>;
  readonly close: () => void;
};

const WLLAMA = join(
  import.meta.dirname,
  "../../../node_modules/@wllama/wllama/esm/wasm/wllama.wasm",
);
const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};
const HEADERS = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
};

/** @param report - called with each line that a page logs as a warning or an error. */
export async function buildEnginePages(report: (line: string) => void): Promise<EnginePages> {
  const script = join(import.meta.dirname, "page/engines.ts");
  const files = await builtPage(
    `import { calls } from ${JSON.stringify(script)};\nglobalThis.calls = calls;`,
  );
  const server = await localServer(({ url, method }) => {
    const path = new URL(url).pathname.slice(1) || "index.html";
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    const headers = { ...HEADERS, "content-type": type };
    const built = files.get(path);
    if (built !== undefined) return new Response(built as BodyInit, { headers });
    const [kind, name, format, file = ""] = path.split("/");
    const onDisk =
      path === "wllama.wasm"
        ? WLLAMA
        : kind === "models"
          ? join(peerFolder(name as BenchModelName, format as PeerFormat), file)
          : "";
    const size = statSync(onDisk, { throwIfNoEntry: false })?.size;
    if (size === undefined) return new Response("", { status: 404, headers });
    const body = method === "HEAD" ? null : Readable.toWeb(createReadStream(onDisk));
    return new Response(body as BodyInit | null, {
      headers: { ...headers, "content-length": String(size) },
    });
  });
  const open = async (): Promise<EnginePage> => {
    const profile = mkdtempSync(join(tmpdir(), "waggle-engines-"));
    const forget = (): void => rmSync(profile, { recursive: true, force: true });
    // A run may be stopped at any time, and a profile may have more than a gigabyte.
    process.once("exit", forget);
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: chromiumPath(),
      args: CHROMIUM_FLAGS,
    });
    const page = context.pages()[0] ?? (await context.newPage());
    page.setDefaultTimeout(120_000);
    page.on("console", (message) => {
      // A folder on a server has no listing, so files that it may have are tried.
      if (message.type() === "log" || /status of 404/.test(message.text())) return;
      report(`page: ${message.text()}`);
    });
    page.on("pageerror", (error) => report(`page: ${error.message}`));
    const visit = async (): Promise<void> => {
      await page.goto(server.origin);
      await page.waitForFunction(() => "calls" in globalThis);
    };
    await visit();
    return {
      call: (name, ...given) =>
        page.evaluate(
          ([called, args]) => {
            const { calls } = globalThis as unknown as {
              calls: { [name: string]: (...args: unknown[]) => Promise<never> };
            };
            return calls[called as string]!(...(args as unknown[]));
          },
          [name, given] as const,
        ),
      usage: new ProcessUsage(profile),
      revisit: async () => {
        await page.goto("about:blank");
        await visit();
      },
      close: async () => {
        await context.close();
        process.off("exit", forget);
        forget();
      },
    };
  };
  return { open, close: server.close };
}
