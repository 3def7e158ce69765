/**
 * Gives a page the page's part of a site, and nothing else of it. The config runs in Node; the page gets its data as
 * literals and imports the module of page tools.
 */
import { dirname, resolve } from "node:path";
import type { Plugin, UserConfig, ViteDevServer } from "vite";
import { type LoadedSite, loadSite } from "../node/load-site.ts";
import { siteConfigIn } from "../node/config-file.ts";
import { lateDependencies } from "./late-dependencies.ts";
import { LOCAL_EDGE, pageModule } from "./page-module.ts";
import { practicePart } from "./practice-part.ts";

/** Options of the plugin. */
export type WagglePluginOptions = {
  /** Folder of `waggle.config.ts`. Default: Vite's root. */
  readonly folder?: string;
  /**
   * Whether to serve with the headers that WASM threads need. Pages without them run the model on one core. Default
   * true.
   */
  readonly isolation?: boolean;
};

const NAME = "virtual:waggle/site";
const MODULE = /\.[cm]?[jt]sx?$/;
const RESOLVED = `\0${NAME}`;

/** Headers that WASM threads need. Pictures of other origins load under this policy. */
export const ISOLATION_HEADERS: { readonly [name: string]: string } = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "credentialless",
};

/** Pages must not get a second copy of these. */
const SHARED = ["@waggle/agent", "@waggle/embed", "@waggle/protocol"];

/** The plugin. */
export function waggle({ folder, isolation = true }: WagglePluginOptions = {}): Plugin {
  let root = folder ?? process.cwd();
  let isBuild = false;
  let isTest = false;
  let loading: Promise<LoadedSite> | null = null;
  return {
    name: "waggle-site",
    config: (own): UserConfig => {
      const headers = isolation ? ISOLATION_HEADERS : {};
      return {
        resolve: { dedupe: SHARED },
        // Their workers and WASM are beside their modules, and bundling in advance would move the modules.
        optimizeDeps: {
          exclude: ["onnxruntime-web", "@waggle/runtime"],
          include: lateDependencies(resolve(folder ?? own.root ?? process.cwd())),
        },
        worker: { format: "es" },
        server: { headers },
        preview: { headers },
      };
    },
    configResolved(config) {
      root = folder ?? config.root;
      isBuild = config.command === "build";
      isTest = config.mode === "test";
    },
    configureServer(server) {
      const file = siteConfigIn(root);
      if (file === null) return;
      server.watcher.add(file);
      server.watcher.on("change", (changed) => {
        if (changed === file) void restarted(server, file);
      });
    },
    async buildStart() {
      // A site with a mistake stops the build, even if the page has not imported it yet.
      loading = loadSite(root);
      const { configFile } = await loading;
      this.addWatchFile(configFile);
    },
    resolveId: (id) => (id === NAME ? RESOLVED : null),
    async load(id) {
      if (id !== RESOLVED) return null;
      const site = await (loading ??= loadSite(root));
      const named = site.definition.edge?.url ?? process.env["WAGGLE_EDGE_URL"];
      if (isBuild && named === undefined) {
        this.warn(
          `this page looks for its edge at ${LOCAL_EDGE}; set edge.url in waggle.config.ts, or WAGGLE_EDGE_URL`,
        );
      }
      return pageModule(site, process.env);
    },
    async transform(code, id, options) {
      // Tests and servers judge, and pages of a site that collects rewards only do.
      const file = id.split("?")[0] ?? id;
      if (isTest || options?.ssr === true) return null;
      if (!MODULE.test(file) || file.includes("/node_modules/")) return null;
      const { definition } = await (loading ??= loadSite(root));
      const part = practicePart(file, code, definition.consent?.collect === "rewards");
      if (part === null) return null;
      if (!part.isComplete) {
        this.warn(
          `${file} gives defineEnvironment an object from elsewhere, so the page contains its verifier; write the object in the call`,
        );
      }
      return { code: part.code, map: null };
    },
  };
}

async function restarted(server: ViteDevServer, file: string): Promise<void> {
  server.config.logger.info(`the site in ${dirname(file)} changed`);
  await server.restart();
}
