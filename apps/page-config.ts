/**
 * The Vite configuration that all pages share. `/config.json` carries `WAGGLE_EDGE_URL` and `WAGGLE_SITE_KEY` to the
 * page, so that one build serves any edge. `WAGGLE_ISOLATION=off` serves without cross-origin isolation.
 */
import { defaultClientConditions, type Connect, type Plugin, type UserConfig } from "vite";

/** Headers that WASM threads need. */
const isolation =
  process.env["WAGGLE_ISOLATION"] === "off"
    ? {}
    : {
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
      };

/** Options of `pageConfig`. */
export type PageConfigOptions = {
  /** Folder with the page's index.html. */
  readonly root: string;
  /** Default address of the edge. */
  readonly edgeUrl: string;
  /** Whether the page runs a model. Such a page is served with cross-origin isolation. */
  readonly hasModel: boolean;
  readonly plugins?: readonly Plugin[];
};

export function pageConfig({
  root,
  edgeUrl,
  hasModel,
  plugins = [],
}: PageConfigOptions): UserConfig {
  const headers = hasModel ? isolation : {};
  const config = {
    edgeUrl: process.env["WAGGLE_EDGE_URL"] ?? process.env["VITE_EDGE_URL"] ?? edgeUrl,
    ...(hasModel
      ? {
          siteKey: process.env["WAGGLE_SITE_KEY"] ?? process.env["VITE_SITE_KEY"] ?? "local-demo",
        }
      : {}),
  };
  return {
    root,
    resolve: { conditions: ["source", ...defaultClientConditions] },
    plugins: [siteConfig(config, headers), ...plugins],
    // onnxruntime-web loads its .wasm from beside its module, and pre-bundling would move the module.
    optimizeDeps: { exclude: ["onnxruntime-web"] },
    worker: { format: "es" },
    server: { headers },
    preview: { headers },
    build: { target: "es2023", chunkSizeWarningLimit: 2000 },
  };
}

function siteConfig(config: object, headers: { readonly [name: string]: string }): Plugin {
  const serve: Connect.NextHandleFunction = (request, response, next) => {
    if (request.url?.split("?")[0] !== "/config.json") return next();
    response.setHeader("content-type", "application/json");
    response.setHeader("cache-control", "no-cache");
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(JSON.stringify(config));
  };
  return {
    name: "waggle-site-config",
    configureServer: (server) => void server.middlewares.use(serve),
    configurePreviewServer: (server) => void server.middlewares.use(serve),
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "config.json", source: JSON.stringify(config) });
    },
  };
}
