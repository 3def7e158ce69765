/**
 * Builds the files that pages without a bundler load: `waggle.js`, the policy's workers, and onnxruntime's loaders and
 * WASM files. The folder can be served from any origin. `assets.json` lists every file with its size and integrity.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve as absolute, sep } from "node:path";
import { build } from "esbuild";

/** Entries of the installed packages, by the file that is built of each. */
const ENTRIES = {
  waggle: "@waggle/embed/script-tag",
  "worker/wasm": "@waggle/runtime/worker/wasm",
  "worker/webgpu": "@waggle/runtime/worker/webgpu",
} as const;

/** Next to the workers, where their code looks for them. */
const ENGINE_FILES = ["", ".asyncify"].flatMap((variant) =>
  ["mjs", "wasm"].map((type) => `ort-wasm-simd-threaded${variant}.${type}`),
);

/** One file that a site must serve. */
export type Asset = {
  readonly path: string;
  readonly sizeBytes: number;
  /** As in the attribute `integrity`. */
  readonly integrity: string;
};

/** Writes the files and `assets.json` into the folder, and deletes what an earlier list has. @returns the list. */
export async function buildAssets(folder: string): Promise<readonly Asset[]> {
  const { resolve } = createRequire(import.meta.url);
  const entryPoints = Object.fromEntries(
    Object.entries(ENTRIES).map(([name, entry]) => [name, resolve(entry)]),
  );
  // In a checkout Node resolves packages to their sources, and the bundler must do the same.
  const isSource = entryPoints["waggle"]?.endsWith(".ts") === true;
  const list = join(folder, "assets.json");
  const earlier = existsSync(list) ? filesIn(list) : [];
  for (const { path } of earlier) rmSync(join(folder, path), { force: true });
  const { metafile } = await build({
    entryPoints,
    outdir: folder,
    chunkNames: "parts/[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2023",
    conditions: [...(isSource ? ["source"] : []), "browser", "module"],
    logLevel: "error",
    metafile: true,
  });
  const engine = join(folder, "worker/onnxruntime-web");
  mkdirSync(engine, { recursive: true });
  const { resolve: resolveOfRuntime } = createRequire(resolve(ENTRIES["worker/wasm"]));
  for (const name of ENGINE_FILES) {
    cpSync(resolveOfRuntime(`onnxruntime-web/${name}`), join(engine, name));
  }
  const written = [
    ...Object.keys(metafile.outputs).map((path) => absolute(path)),
    ...ENGINE_FILES.map((name) => join(engine, name)),
  ];
  const assets = written
    .map((file) => assetAt(folder, file))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  writeFileSync(list, `${JSON.stringify({ files: assets }, null, 1)}\n`);
  return assets;
}

function filesIn(list: string): readonly Asset[] {
  return (JSON.parse(readFileSync(list, "utf8")) as { readonly files: readonly Asset[] }).files;
}

function assetAt(folder: string, file: string): Asset {
  const bytes = readFileSync(file);
  const integrity = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
  const path = relative(folder, file).replaceAll(sep, "/");
  return { path, sizeBytes: bytes.length, integrity };
}
