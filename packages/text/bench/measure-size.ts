/** Measures what a page downloads with its first grammar, bundled as users bundle. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { benchRow } from "../../runtime/bench/row.ts";
import type { BenchRow } from "../../runtime/bench/row.ts";
import { XGRAMMAR_FILE } from "./masker.ts";

const ROOT = join(import.meta.dirname, "../../..");

const ENTRIES: readonly (readonly [name: string, code: string])[] = [
  // Every page that runs a model loads the base; the difference is the grammar's part.
  ["base", `export { createChatFormat, createTokenizer, readChatFormat } from "@waggle/text";`],
  [
    "grammar",
    `export { createChatFormat, createTokenizer, readChatFormat } from "@waggle/text";
     export { createGrammarCompiler } from "@waggle/text/grammar";`,
  ],
];

export async function measureSize(peerName: string): Promise<BenchRow[]> {
  const sizes: number[] = [];
  // Within the repository, so that package imports resolve.
  const root = mkdtempSync(join(ROOT, "node_modules/.grammar-size-"));
  try {
    for (const [name, code] of ENTRIES) {
      const entry = join(root, `${name}.js`);
      writeFileSync(entry, code);
      sizes.push(await gzippedSize(root, entry));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const [base = 0, grammar = 0] = sizes;
  return [
    benchRow({
      name: "loaded with the first grammar, gzipped",
      ours: (grammar - base) / 1024,
      peer: gzipSync(readFileSync(XGRAMMAR_FILE), { level: 9 }).length / 1024,
      peerName,
      unit: "KB",
      agree: true,
    }),
  ];
}

async function gzippedSize(root: string, entry: string): Promise<number> {
  const built = await build({
    configFile: false,
    root,
    logLevel: "silent",
    resolve: { conditions: ["source", "browser", "module"] },
    build: { write: false, target: "esnext", lib: { entry, formats: ["es"] }, minify: true },
  });
  const outputs = Array.isArray(built) ? built : "output" in built ? [built] : [];
  return outputs
    .flatMap(({ output }) => output)
    .reduce(
      (sum, file) => sum + (file.type === "chunk" ? gzipSync(file.code, { level: 9 }).length : 0),
      0,
    );
}
