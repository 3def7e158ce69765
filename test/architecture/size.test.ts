/**
 * What a page loads before the first token, without the model, onnxruntime's .wasm and the grammar
 * library: the scripts of page and worker, onnxruntime's own included, built as users build.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { expect, test } from "vitest";

/** 120 KB. */
const MOST = 120 * 1024;
const ROOT = join(import.meta.dirname, "../..");
/**
 * The loader that Emscripten made for the .wasm of WebGPU. onnxruntime's bundle holds it, its other
 * build fetches it with the .wasm; it is counted with the .wasm.
 */
const WASM_LOADER = "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.asyncify.mjs";
/** Loaded with the first grammar, by an import of its own. */
const GRAMMAR = /^assets\/grammar-/;

const PAGE = `
import { createBrowserPolicy } from "@waggle/runtime";
import { createChat } from "@waggle/runtime/chat";
export async function start(modelFiles, baseModel) {
  const policy = await createBrowserPolicy({ modelFiles, baseModel });
  const chat = createChat({ policy, modelFiles });
  const messages = [{ role: "user", content: "Hello." }];
  const stream = await chat.completions.create({ messages, stream: true });
  for await (const chunk of stream) document.body.append(chunk.choices[0]?.delta.content ?? "");
}
globalThis.start = start;
`;

async function buildPage(page: string): Promise<Map<string, number>> {
  // Inside the repository, where imports of packages are found.
  const root = mkdtempSync(join(ROOT, "node_modules/.size-"));
  try {
    writeFileSync(join(root, "index.html"), '<script type="module" src="./page.js"></script>');
    writeFileSync(join(root, "page.js"), page);
    const built = await build({
      configFile: false,
      root,
      logLevel: "silent",
      resolve: { conditions: ["source", "browser", "module"] },
      worker: { format: "es" },
      build: { write: false, target: "esnext" },
    });
    const sizes = new Map<string, number>();
    for (const { output } of Array.isArray(built) ? built : "output" in built ? [built] : []) {
      for (const file of output) {
        const code = file.type === "chunk" ? file.code : file.source;
        if (file.fileName.endsWith(".js")) sizes.set(file.fileName, gzipSync(code).length);
      }
    }
    return sizes;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

test("a page and its worker are at most 120 KB gzipped before the first token, on either device", async () => {
  const sizes = await buildPage(PAGE);
  const loaded = [...sizes].filter(([name]) => !GRAMMAR.test(name));
  const sum = (rows: typeof loaded) => rows.reduce((total, [, bytes]) => total + bytes, 0);
  // A page loads the worker of one device; everything else is counted for both.
  const without = (device: string) =>
    loaded.filter(([name]) => !name.startsWith(`assets/${device}-`));
  const table = loaded
    .toSorted((a, b) => b[1] - a[1])
    .map(([name, bytes]) => `${String(bytes).padStart(8)}  ${name}`)
    .join("\n");
  const loader = gzipSync(readFileSync(join(ROOT, WASM_LOADER))).length;
  const [wasm, webgpu] = [sum(without("webgpu")), sum(without("wasm")) - loader];
  const isSmall = wasm <= MOST && webgpu <= MOST;
  expect(
    isSmall
      ? ""
      : `gzipped: wasm ${wasm}, webgpu ${webgpu}, loader of the .wasm ${loader}, most ${MOST}\n${table}`,
  ).toBe("");
  // The names that were left out are those of what was built, or the sum would mean nothing.
  expect([...sizes.keys()].some((name) => GRAMMAR.test(name))).toBe(true);
  expect(without("webgpu").length).toBe(loaded.length - 1);
  expect(without("wasm").length).toBe(loaded.length - 1);
  expect(wasm).toBeGreaterThan(40_000);
});
