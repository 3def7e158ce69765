/**
 * The Vite plugin of every page that this package serves. `/config.json` carries `WAGGLE_EDGE_URL`, `WAGGLE_SITE_KEY` and
 * `WAGGLE_PUBLISHER_KEYS` to the page, so that one build serves any edge. `WAGGLE_ISOLATION=off` serves without cross-origin isolation.
 * `WAGGLE_PRACTICE` is the file that exports the environment of the practice page, with `#name` for another export than
 * the default. `WAGGLE_PRACTICE_SITE` is the folder of the site's config, where it has one: its pages ask visitors for the same
 * consent as the site's own page.
 */
import { resolve } from "node:path";
import type { Connect, Plugin } from "vite";
import { readSiteConfig } from "@waggle/site/node";
import { ISOLATION_HEADERS, visitorModule } from "@waggle/site/vite";
import { FROM_SOURCE } from "../processes/installed.ts";
import { serveBuiltAssets } from "./built-assets.ts";

/** What the practice page imports its environment from. */
const PRACTICE = "virtual:waggle/practice";

/** What the pages import the site's texts from. */
const VISITOR = "virtual:waggle/visitor";

/** Packages that a site must not bring a second copy of. */
const SHARED = ["@waggle/agent", "@waggle/environments", "@waggle/protocol"];

/** Packages with workers and WASM beside their modules; bundling in advance would move the modules. */
const UNBUNDLED = [
  "@waggle/collector",
  "@waggle/dashboard",
  "@waggle/embed",
  "@waggle/evaluation",
  "@waggle/learning",
  "@waggle/model",
  "@waggle/practice",
  "@waggle/runtime",
  "@waggle/text",
  "onnxruntime-web",
  ...SHARED,
];

/** No other page can frame these pages, whose buttons act for an operator or a visitor. */
const SECURITY_HEADERS = {
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** @param conditions - Vite's default conditions of imports. */
export function pagePlugin(conditions: readonly string[]): Plugin {
  const { WAGGLE_EDGE_URL, WAGGLE_SITE_KEY, WAGGLE_ISOLATION } = process.env;
  const { WAGGLE_PRACTICE, WAGGLE_PRACTICE_SITE } = process.env;
  const { WAGGLE_PUBLISHER_KEYS = "" } = process.env;
  const headers = {
    ...(WAGGLE_ISOLATION === "off" ? {} : ISOLATION_HEADERS),
    ...SECURITY_HEADERS,
  };
  const config = JSON.stringify({
    edgeUrl: WAGGLE_EDGE_URL ?? "http://127.0.0.1:8787",
    siteKey: WAGGLE_SITE_KEY ?? "local-demo",
    ...(WAGGLE_PUBLISHER_KEYS === ""
      ? {}
      : { publisher: { keys: WAGGLE_PUBLISHER_KEYS.split(",") } }),
  });
  const serve: Connect.NextHandleFunction = (request, response, next) => {
    if (request.url?.split("?")[0] !== "/config.json") return next();
    response.setHeader("content-type", "application/json");
    response.setHeader("cache-control", "no-cache");
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(config);
  };
  return {
    name: "waggle-page",
    config: () => ({
      ...(FROM_SOURCE ? { resolve: { conditions: ["source", ...conditions] } } : {}),
      optimizeDeps: { exclude: UNBUNDLED },
      worker: { format: "es" },
      server: { headers },
      preview: { headers },
      build: { target: "es2023", chunkSizeWarningLimit: 2000 },
    }),
    configureServer: (server) => void server.middlewares.use(serve),
    configurePreviewServer({ middlewares, config: { root, build } }) {
      middlewares.use(serve);
      middlewares.use(serveBuiltAssets(resolve(root, build.outDir), headers));
    },
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "config.json", source: config });
    },
    resolveId: (id) => (id === PRACTICE || id === VISITOR ? `\0${id}` : null),
    async load(id) {
      if (id === `\0${VISITOR}`) {
        if (WAGGLE_PRACTICE_SITE === undefined) return visitorModule({});
        const { source, definition } = await readSiteConfig(WAGGLE_PRACTICE_SITE);
        this.addWatchFile(source.file);
        return visitorModule(definition);
      }
      if (id !== `\0${PRACTICE}`) return null;
      if (WAGGLE_PRACTICE === undefined)
        return this.error("WAGGLE_PRACTICE must be the file of an environment");
      const at = WAGGLE_PRACTICE.lastIndexOf("#");
      const [file, name] =
        at <= 0
          ? [WAGGLE_PRACTICE, "default"]
          : [WAGGLE_PRACTICE.slice(0, at), WAGGLE_PRACTICE.slice(at + 1)];
      return `export { ${name} as environment } from ${JSON.stringify(file)};`;
    },
  };
}
