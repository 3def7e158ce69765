/**
 * The chat templates and vocabularies of the llama.cpp release in the npm package node-llama-cpp
 * (`llama/gitRelease.bundle`). The release is unpacked once, into node_modules/.cache.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

const MODULES = new URL("../../../node_modules/", import.meta.url).pathname;
const LLAMA = join(MODULES, "node-llama-cpp/llama");

/** The release, for example `v0.5.0`. */
export const LLAMA_CPP_RELEASE: string = (
  JSON.parse(readFileSync(join(LLAMA, "llama.cpp.info.json"), "utf8")) as { tag: string }
).tag;

/** Source of a template, by its name in `models/templates`. */
export function templateSource(name: string): string {
  return show(`models/templates/${name}.jinja`).toString("utf8");
}

/** Source of the template in the metadata of a vocabulary. */
export function vocabularyTemplate(name: string): string {
  const gguf = show(`models/ggml-vocab-${name}.gguf`);
  const key = Buffer.from("tokenizer.chat_template\u0008\0\0\0"); // 8 is the type of texts.
  const at = gguf.indexOf(key) + key.length;
  const from = at + 8; // The length has 8 bytes.
  return gguf.subarray(from, from + Number(gguf.readBigUInt64LE(at))).toString("utf8");
}

/** Texts with the ids that llama.cpp recorded from the model's original tokenizer. */
export function recordedEncodings(name: string): { text: string; tokenIds: number[] }[] {
  const path = `models/ggml-vocab-${name}.gguf`;
  const ids = show(`${path}.out`).toString("utf8").split("\n");
  const texts = show(`${path}.inp`).toString("utf8").split("\n__ggml_vocab_test__\n");
  return texts.map((text, i) => ({
    text,
    tokenIds: (ids[i] ?? "").split(" ").filter(Boolean).map(Number),
  }));
}

/** Path of a vocabulary as a GGUF file, by its name in `models/ggml-vocab-….gguf`. */
export function vocabularyFile(name: string): string {
  const path = join(cache(), `${name}-${LLAMA_CPP_RELEASE}.gguf`);
  if (!existsSync(path)) writeFileSync(path, show(`models/ggml-vocab-${name}.gguf`));
  return path;
}

function show(path: string): Buffer {
  const options = { maxBuffer: 64 << 20 };
  return execFileSync("git", ["-C", repository(), "show", `HEAD:${path}`], options);
}

function repository(): string {
  const path = join(cache(), `llama-cpp-${LLAMA_CPP_RELEASE}.git`);
  if (existsSync(path)) return path;
  const fresh = mkdtempSync(join(cache(), "unpack-"));
  execFileSync("git", ["clone", "-q", "--bare", join(LLAMA, "gitRelease.bundle"), fresh]);
  try {
    renameSync(fresh, path);
  } catch {
    rmSync(fresh, { recursive: true }); // Another process unpacked it at the same time.
  }
  return path;
}

function cache(): string {
  const path = join(MODULES, ".cache/waggle");
  mkdirSync(path, { recursive: true });
  return path;
}
