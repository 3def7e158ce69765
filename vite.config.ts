/** Vitest's projects. Workspace packages resolve to src/*.ts, so tests need no build step. */
import { availableParallelism } from "node:os";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import { CHROMIUM_FLAGS, chromiumPath } from "./packages/dev/src/loop/chromium.ts";
import { FileOrder } from "./scripts/testing/file-order.ts";
import { edgeTestBindings } from "./workers/edge/vitest.bindings.ts";

const fromSource = (...extra: string[]) => {
  const conditions = ["source", ...extra];
  return { resolve: { conditions }, ssr: { resolve: { conditions } } };
};

/** WASM threads need a page that is cross-origin isolated. */
const isolation = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** `npm run test:long` runs every case of the tests that `npm test` samples; see test/fixtures/long.ts. */
const isLong = process.env["WAGGLE_LONG"] === "1";
const provide = { isLong };

/** Members of Chromium's `LanguageModel` that it hides from pages by default. */
const PROMPT_API_FLAG =
  "--enable-blink-features=AIPromptAPIParams,AIPromptAPISamplingMode,AIPromptAPIToolUse";

/** Vitest would leave one core free, which is half of a machine with two. */
const MAX_WORKERS = Math.max(availableParallelism() - 1, 2);

/**
 * eventsource (of the MCP clients) and eventsource-parser also have a condition "source". It is TypeScript, which Node
 * does not run from node_modules.
 */
const INLINED = {
  deps: {
    inline: [
      "@modelcontextprotocol/client",
      /\/@modelcontextprotocol\/sdk\//,
      "eventsource",
      "eventsource-parser",
      "ai",
      /^.*\/@ai-sdk\//,
    ],
  },
};

const everywhere = ["**/node_modules/**", "**/dist/**"];

/** Half of the browser tests, by their time. */
const RUNTIME_PARTS = "packages/runtime/src/*/**/*.browser.test.ts";

export default defineConfig({
  test: {
    sequence: { sequencer: FileOrder },
    projects: [
      {
        ...fromSource("node"),
        test: {
          name: "node",
          provide,
          include: [
            "packages/*/src/**/*.test.ts",
            "trainer/src/**/*.test.ts",
            "apps/*/src/**/*.test.ts",
            "test/{architecture,golden,contract,requirements}/**/*.test.ts",
          ],
          exclude: [...everywhere, "**/*.browser.test.ts"],
          setupFiles: ["test/fixtures/property-tests.setup.ts", "test/fixtures/one-core.setup.ts"],
          server: INLINED,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Files share loaded modules, which halves the time of packages with many small files. A test that replaces
          // a global therefore restores it.
          isolate: false,
          maxWorkers: MAX_WORKERS,
          // Some tests open sessions of onnxruntime-node directly; packages set this themselves.
          env: { ORT_DISABLE_TELEMETRY: "1" },
        },
      },
      {
        ...fromSource("workerd", "worker"),
        plugins: [
          cloudflareTest(async () => ({
            main: "./workers/edge/src/testing/worker.ts",
            wrangler: { configPath: "./workers/edge/wrangler.jsonc" },
            miniflare: { bindings: await edgeTestBindings() },
          })),
        ],
        test: {
          name: "workers",
          provide,
          include: ["workers/*/src/**/*.test.ts"],
          exclude: everywhere,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Files that shared a module registry sometimes saw each other's storage on a busy machine.
          isolate: true,
          maxWorkers: MAX_WORKERS,
        },
      },
      {
        ...fromSource("browser"),
        server: { headers: isolation },
        // Only workers import these, so Vite would find them late and reload the running tests.
        optimizeDeps: {
          include: ["onnxruntime-web/wasm", "onnxruntime-web/webgpu"],
        },
        test: {
          name: "browser",
          provide,
          include: [
            "{packages,apps}/*/src/**/*.browser.test.ts",
            "test/golden/**/*.browser.test.ts",
          ],
          exclude: everywhere,
          testTimeout: 120_000,
          maxWorkers: MAX_WORKERS,
          sequence: { groupOrder: 1 },
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: {
                executablePath: chromiumPath(),
                args: [...CHROMIUM_FLAGS, PROMPT_API_FLAG],
              },
            }),
            // The software adapter compiles shaders on one thread of the GPU process, so each half has a Chromium of its own.
            instances: [
              { browser: "chromium", name: "browser 1", include: [RUNTIME_PARTS] },
              { browser: "chromium", name: "browser 2", exclude: [...everywhere, RUNTIME_PARTS] },
            ],
          },
        },
      },
      {
        ...fromSource("node"),
        test: {
          name: "e2e",
          provide,
          globalSetup: "test/fixtures/packed-packages.setup.ts",
          server: INLINED,
          include: ["test/e2e/**/*.test.ts", "test/learning/**/*.test.ts"],
          exclude: everywhere,
          testTimeout: 600_000,
          hookTimeout: 300_000,
          // The default is one second, in which a page on a busy machine shows nothing.
          expect: { poll: { timeout: 30_000 } },
          // Files use ports and folders of their own, and mostly wait. Long ones measure what a loop learns in its time.
          fileParallelism: !isLong,
          maxWorkers: isLong ? 1 : 3,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
