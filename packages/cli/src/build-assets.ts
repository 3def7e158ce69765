/**
 * Builds the files that pages without a bundler load: `waggle.js`, the policy's workers, and onnxruntime's loaders and
 * WASM files. The folder can be served from any origin. `assets.json` lists every file with its size and integrity.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, relative } from "node:path";
import { build } from "esbuild";

const ROOT = join(import.meta.dirname, "../..");

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

/** Writes the files and `assets.json` into the folder. @returns the list. */
export async function buildAssets(folder: string): Promise<readonly Asset[]> {
  await build({
    entryPoints: {
      waggle: join(import.meta.dirname, "script-tag.ts"),
      "worker/wasm": join(ROOT, "packages/runtime/src/worker/wasm.ts"),
      "worker/webgpu": join(ROOT, "packages/runtime/src/worker/webgpu.ts"),
    },
    outdir: folder,
    chunkNames: "parts/[name]-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2023",
    conditions: ["source", "browser", "module"],
    logLevel: "error",
  });
  const engine = join(folder, "worker/onnxruntime-web");
  mkdirSync(engine, { recursive: true });
  const resolve = createRequire(join(ROOT, "packages/runtime/package.json")).resolve;
  for (const name of ENGINE_FILES) {
    const file = resolve(`onnxruntime-web/${name}`);
    cpSync(file, join(engine, basename(file)));
  }
  const assets = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "assets.json")
    .map((entry) => assetAt(folder, join(entry.parentPath, entry.name)))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  writeFileSync(join(folder, "assets.json"), `${JSON.stringify({ files: assets }, null, 1)}\n`);
  return assets;
}

function assetAt(folder: string, file: string): Asset {
  const bytes = readFileSync(file);
  const integrity = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
  return { path: relative(folder, file), sizeBytes: bytes.length, integrity };
}
