import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { modelSourceName, parseModelSource } from "./model-source.ts";

test.each([
  ["Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B@main"],
  [" Qwen/Qwen3-0.6B@v1.0 ", "Qwen/Qwen3-0.6B@v1.0"],
  ["https://huggingface.co/Qwen/Qwen3-0.6B", "Qwen/Qwen3-0.6B@main"],
  ["https://hf.co/Qwen/Qwen3-0.6B/", "Qwen/Qwen3-0.6B@main"],
  ["https://huggingface.co/Qwen/Qwen3-0.6B/tree/refs%2Fpr%2F1", "Qwen/Qwen3-0.6B@refs/pr/1"],
  ["https://huggingface.co/Qwen/Qwen3-0.6B/blob/main/config.json", "Qwen/Qwen3-0.6B@main"],
  ["https://huggingface.co/a/b/resolve/main/sub/model.safetensors?download=true", "a/b@main/sub"],
  ["https://huggingface.co/a/b/tree/main/sub", "a/b@main/sub"],
  ["https://models.example/nano/", "https://models.example/nano"],
  ["http://localhost:8080/nano/config.json?x=1", "http://localhost:8080/nano"],
])("%s is %s", (text, name) => {
  expect(modelSourceName(parseModelSource(text))).toBe(name);
});

test.each([
  "",
  "qwen",
  "a/b/c",
  "../etc/passwd",
  "a/b@../../x y",
  "https://huggingface.co/a",
  "https://huggingface.co/a/b/discussions/1",
  "ftp://example.org/a",
  "https://",
  "javascript:alert(1)",
])("%j is not a source", (text) => {
  let error: unknown;
  try {
    parseModelSource(text);
  } catch (thrown) {
    error = thrown;
  }
  expect(WaggleError.is(error, "INVALID_ARGUMENT")).toBe(true);
});
