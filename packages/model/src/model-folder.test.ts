import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { describeModelFolder } from "./model-folder.ts";

const file = (path: string, text: string): { path: string; bytes: Uint8Array } => ({
  path,
  bytes: new TextEncoder().encode(text),
});
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

test("a model's identity is the hash of its files' hashes, whatever their order", async () => {
  const files = [
    file("tokenizer.json", "t"),
    file("model.safetensors", "m"),
    file("config.json", "c"),
  ];
  const reference = await describeModelFolder(files);
  const lines = `${hash("c")}  config.json\n${hash("m")}  model.safetensors\n${hash("t")}  tokenizer.json\n`;
  expect(reference.sha256).toBe(hash(lines));
  expect(reference.files[0]).toEqual({ path: "config.json", sha256: hash("c"), sizeBytes: 1 });
  expect(await describeModelFolder(files.toReversed())).toEqual(reference);
});

test("a folder without weights is refused", async () => {
  const files = [file("config.json", "c"), file("tokenizer.json", "t")];
  await expect(describeModelFolder(files)).rejects.toThrow(/model\.safetensors/);
});
