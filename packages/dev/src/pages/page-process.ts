/**
 * Builds or serves one page with Vite, in a separate process:
 * `page-process <build|preview|dev> --root <folder> --out <folder> --project <folder> [--port <port>]`.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type * as Vite from "vite";
import { toolFile } from "../processes/installed.ts";
import { pagePlugin } from "./page-plugin.ts";

const text = { type: "string", default: "" } as const;
const { values, positionals } = parseArgs({
  options: { root: text, out: text, project: text, port: text },
  allowPositionals: true,
});
const { root, out, project } = values;
const [mode] = positionals;

const vite = (await import(pathToFileURL(toolFile("vite", project)).href)) as typeof Vite;

const address = { host: "127.0.0.1", port: Number(values.port), strictPort: true };
const config: Vite.InlineConfig = {
  root,
  logLevel: "warn",
  clearScreen: false,
  // The folder of a package may not be writable.
  cacheDir: join(out, "..", "cache"),
  plugins: [pagePlugin(vite.defaultClientConditions)],
  build: { outDir: out, emptyOutDir: true },
  preview: address,
  server: { ...address, fs: { allow: [project, vite.searchForWorkspaceRoot(root)] } },
};

if (mode === "build") await vite.build(config);
else if (mode === "preview") await vite.preview(config);
else await (await vite.createServer(config)).listen();
