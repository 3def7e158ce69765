/**
 * Speed of decoding in a page, as one JSON object. Serves this repository through Vite and measures
 * in Chromium. Run: node --conditions=source packages/runtime/src/browser-decode.bench.ts [wasm|webgpu]
 */
import { chromium } from "playwright-core";
import { createServer } from "vite";
import { CHROMIUM_FLAGS, chromiumPath } from "../../../scripts/chromium.mjs";

const PAGE = `
import { createBrowserPolicy } from "/packages/runtime/src/index.ts";
import { NANO_CONFIG, nanoAdapter, measureDecoding } from "/packages/runtime/src/decode-measurement.fixture.ts";
import { decoderConfigJson, initializeDecoder, writeSafetensors } from "/packages/model/src/index.ts";
globalThis.measure = async (options) => {
  const policy = await createBrowserPolicy({
    ...options,
    baseModel: "0".repeat(64),
    modelFiles: new Map([
      ["config.json", new TextEncoder().encode(JSON.stringify(decoderConfigJson(NANO_CONFIG)))],
      ["model.safetensors", writeSafetensors(initializeDecoder(NANO_CONFIG, 1), {})],
    ]),
  });
  const measured = await measureDecoding(policy, nanoAdapter(), () => performance.now());
  await policy.dispose();
  return { device: policy.client.device, adapterStrategy: options.adapterStrategy, ...measured };
};
globalThis.isReady = true;
`;

const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};
const device = process.argv[2] ?? "wasm";
const server = await createServer({
  configFile: false,
  root: new URL("../../..", import.meta.url).pathname,
  logLevel: "error",
  resolve: { conditions: ["source", "browser"] },
  optimizeDeps: {
    include: ["onnxruntime-web/webgpu", "onnxruntime-web/ort-wasm-simd-threaded.mjs"],
    entries: [],
  },
  server: { port: 0, headers: ISOLATION },
  plugins: [
    {
      name: "bench-page",
      resolveId: (id) => (id === "/bench-page.js" ? id : undefined),
      load: (id) => (id === "/bench-page.js" ? PAGE : undefined),
      configureServer: ({ middlewares }) => {
        middlewares.use("/bench", (_, response) => {
          for (const [name, value] of Object.entries(ISOLATION)) response.setHeader(name, value);
          response.setHeader("content-type", "text/html");
          response.end('<script type="module" src="/bench-page.js"></script>');
        });
      },
    },
  ],
});
await server.listen();
const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
const page = await browser.newPage();
await page.goto(`${server.resolvedUrls?.local[0]}bench`);
await page.waitForFunction("globalThis.isReady === true", null, { timeout: 120_000 });
const rows = [];
for (const threads of device === "wasm" ? [1, 2] : [1]) {
  for (const adapterStrategy of device === "wasm" ? ["merge", "inputs"] : ["inputs"]) {
    const options = JSON.stringify({ device, threads, adapterStrategy });
    rows.push(await page.evaluate(`measure(${options})`));
  }
}
console.log(JSON.stringify({ rows }, null, 1));
await browser.close();
await server.close();
