/** A Chromium page that serves this repository through Vite, for benchmarks that need a browser. */
import { chromium } from "playwright-core";
import { createServer } from "vite";
import type { Plugin } from "vite";
import { CHROMIUM_FLAGS, chromiumPath } from "../../dev/src/loop/chromium.ts";
import { modelFile } from "./model-files.ts";

const ROOT = new URL("../../..", import.meta.url).pathname;
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Calls functions of page modules from Node. Arguments and results are sent as JSON. */
export type BenchPage = {
  /**
   * @param module - file of `bench/page`, without its extension.
   * @param options - passed to the module's `measure`.
   */
  measure<T>(module: string, options: unknown): Promise<T>;
  close(): Promise<void>;
};

/** @param report - called with each line that the page logs. */
export async function openBenchPage(report: (line: string) => void): Promise<BenchPage> {
  const server = await createServer({
    configFile: false,
    root: ROOT,
    cacheDir: `${ROOT}node_modules/.vite-bench`,
    logLevel: "error",
    resolve: { conditions: ["source", "browser"] },
    optimizeDeps: {
      include: ["onnxruntime-web/wasm", "onnxruntime-web/webgpu", "@huggingface/transformers"],
      entries: [],
    },
    server: { port: 0, headers: ISOLATION, hmr: false, watch: null },
    plugins: [pages()],
  });
  await server.listen();
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  const page = await browser.newPage();
  page.on("console", (message) => report(`page: ${message.text()}`));
  page.on("pageerror", (error) => report(`page: ${error.message}`));
  await page.goto(`${server.resolvedUrls?.local[0]}bench`);
  return {
    measure: (module, options) =>
      page.evaluate(
        async ([path, given]) => {
          const loaded: unknown = await import(path as string);
          return (loaded as { measure: (options: unknown) => Promise<never> }).measure(given);
        },
        [`/packages/runtime/bench/page/${module}.ts`, options] as const,
      ),
    close: async () => {
      await browser.close();
      await server.close();
    },
  };
}

function pages(): Plugin {
  return {
    name: "bench-pages",
    configureServer: ({ middlewares }) => {
      middlewares.use("/bench-models/", (request, response) => {
        const path = (request.url ?? "").replace(/^\/|\?.*$/g, "");
        modelFile(path).then(
          (bytes) => {
            response.statusCode = bytes === null ? 404 : 200;
            response.setHeader("content-length", bytes?.length ?? 0);
            response.end(bytes ?? "");
          },
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
      });
      middlewares.use("/bench", (_, response) => {
        for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
        response.setHeader("content-type", "text/html");
        response.end("<!doctype html><title>bench</title>");
      });
    },
  };
}
