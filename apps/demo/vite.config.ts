/**
 * The demo shop as a Vite app. `/config.json` carries `WAGGLE_EDGE_URL` and `WAGGLE_SITE_KEY` to the page, so that
 * one build serves any edge. `WAGGLE_ISOLATION=off` serves without cross-origin isolation.
 */
import { defaultClientConditions, defineConfig } from "vite";
import type { Connect, Plugin } from "vite";
import { writeServiceWorkerList } from "./vite-offline.ts";

const isolation =
  process.env["WAGGLE_ISOLATION"] === "off"
    ? {}
    : {
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
      };

const config = {
  edgeUrl:
    process.env["WAGGLE_EDGE_URL"] ?? process.env["VITE_EDGE_URL"] ?? "http://127.0.0.1:8787",
  siteKey: process.env["WAGGLE_SITE_KEY"] ?? process.env["VITE_SITE_KEY"] ?? "local-demo",
};

const serveConfig: Connect.NextHandleFunction = (request, response, next) => {
  if (request.url?.split("?")[0] !== "/config.json") return next();
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-cache");
  for (const [name, value] of Object.entries(isolation)) response.setHeader(name, value);
  response.end(JSON.stringify(config));
};

const siteConfig: Plugin = {
  name: "waggle-site-config",
  configureServer: (server) => void server.middlewares.use(serveConfig),
  configurePreviewServer: (server) => void server.middlewares.use(serveConfig),
  generateBundle() {
    this.emitFile({ type: "asset", fileName: "config.json", source: JSON.stringify(config) });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions: ["source", ...defaultClientConditions] },
  plugins: [siteConfig, writeServiceWorkerList()],
  // onnxruntime-web loads its .wasm from beside its module, and pre-bundling would move the module.
  optimizeDeps: { exclude: ["onnxruntime-web"] },
  worker: { format: "es" },
  server: { headers: isolation },
  preview: { headers: isolation },
  build: { target: "es2023", chunkSizeWarningLimit: 2000 },
});
