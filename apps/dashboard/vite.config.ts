/**
 * The dashboard as a Vite app. `/config.json` carries `WAGGLE_EDGE_URL` to the page, so that one build serves
 * any edge.
 */
import { defaultClientConditions, defineConfig } from "vite";
import type { Connect, Plugin } from "vite";

const config = {
  edgeUrl:
    process.env["WAGGLE_EDGE_URL"] ?? process.env["VITE_EDGE_URL"] ?? "http://localhost:8787",
};

const serveConfig: Connect.NextHandleFunction = (request, response, next) => {
  if (request.url?.split("?")[0] !== "/config.json") return next();
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-cache");
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
  plugins: [siteConfig],
  build: { target: "es2023", chunkSizeWarningLimit: 1200 },
});
