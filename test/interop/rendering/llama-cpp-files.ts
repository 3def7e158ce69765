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
