/**
 * Size of the code that a page loads before the first token of a chat with a model from a URL: the JavaScript of page
 * and worker, including onnxruntime's, in a production build. The model, onnxruntime's .wasm, and scripts that load
 * later or never (`LATER`) are not counted.
 */
import { gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { builtPage } from "../fixtures/built-page.ts";

/** 126 KB. */
const MAX_BYTES = 126 * 1024;

/** Scripts behind a dynamic import that this page does not reach. */
const LATER = [
  "branch-steps", // loaded for the first forks on WebGPU that share a long prefix
  "ebnf", // loaded for the first grammar in EBNF
  "grammar", // loaded for the first grammar
  "local-folder", // loaded for a model that the visitor picked from disk
  "model-chat-format", // loaded for the first grammar of a policy that was not told its stop tokens
  "model-fit", // loaded for weights of more than 128 MiB
  "refetch-chunk", // loaded if storage lost a chunk of a model
  "simd-backend", // loaded for quantized and small models on WASM, in place of onnxruntime's loader
  "unreadable-answer", // loaded if a server refuses HEAD, or gives an answer that the page may not read
];
/** Scripts that only one of the devices loads: its worker, and Emscripten's loader of its .wasm. */
const OF_DEVICE = {
  wasm: ["wasm", "ort-wasm-simd-threaded"],
  webgpu: ["webgpu", "ort-wasm-simd-threaded.asyncify"],
} as const;

const PAGE = `
import { createLocalChat } from "@waggle/runtime/chat";
export async function start(model) {
  const chat = await createLocalChat({ model }).open();
  const messages = [{ role: "user", content: "Hello." }];
  const stream = await chat.completions.create({ messages, stream: true });
  for await (const chunk of stream) document.body.append(chunk.choices[0]?.delta.content ?? "");
}
globalThis.start = start;
`;

type Script = { readonly file: string; readonly name: string; readonly code: string };

async function buildPage(page: string): Promise<Script[]> {
  const scripts: Script[] = [];
  for (const [file, content] of await builtPage(page)) {
    if (!/\.m?js$/.test(file)) continue;
    const code = typeof content === "string" ? content : new TextDecoder().decode(content);
    const name = file.replace(/^assets\//, "").replace(/-[\w-]{8}\.m?js$/, "");
    scripts.push({ file, name, code });
  }
  return scripts;
}

/** Names of scripts that a script imports statically. */
function importsOf({ code }: Script): string[] {
  return [...code.matchAll(/(?:from|import)\s*["']\.\/([^"']+?)-[\w-]{8}\.m?js["']/g)].map(
    ([, name]) => name as string,
  );
}

let scripts: Script[] = [];
beforeAll(async () => {
  scripts = await buildPage(PAGE);
}, 60_000);

test.for(["wasm", "webgpu"] as const)(
  "a page and its worker load at most 126 KB gzipped before the first token on %s",
  (device) => {
    const other: readonly string[] = OF_DEVICE[device === "wasm" ? "webgpu" : "wasm"];
    const loaded = scripts
      .filter(({ name }) => !LATER.includes(name) && !other.includes(name))
      // Each worker has its own copy of the scripts that it loads on demand.
      .filter((script) => !importsOf(script).some((name) => other.includes(name)))
      .map(({ file, code }) => ({ file, bytes: gzipSync(code).length }))
      .toSorted((a, b) => b.bytes - a.bytes);
    const sum = loaded.reduce((total, { bytes }) => total + bytes, 0);
    const table = loaded.map(({ file, bytes }) => `${String(bytes).padStart(8)}  ${file}`);
    expect(
      sum <= MAX_BYTES ? "" : [`gzipped: ${sum}, limit ${MAX_BYTES}`, ...table].join("\n"),
    ).toBe("");
    // Page, worker and loader must all be found, or the sum is meaningless.
    expect(loaded.filter(({ bytes }) => bytes > 5_000)).toHaveLength(3);
    // The worker loads this one to read the model from the browser's storage.
    expect(loaded.filter(({ file }) => file.includes("read-in-pieces"))).toHaveLength(1);
  },
);

test("uncounted scripts exist, and no counted script imports them statically", () => {
  const names = scripts.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...LATER, ...Object.values(OF_DEVICE).flat()]));
  const counted = scripts.filter(({ name }) => !LATER.includes(name));
  expect(counted.flatMap(importsOf).filter((name) => LATER.includes(name))).toEqual([]);
  // Control: the pattern does find imports, namely those of the later scripts.
  expect(scripts.flatMap(importsOf)).toContain("webgpu");
});
