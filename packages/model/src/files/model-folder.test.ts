import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Tensor } from "@waggle/protocol";
import { describeModelFolder, readModelWeights, selectModelFiles } from "./model-folder.ts";
import { writeSafetensors } from "./safetensors.ts";

const file = (path: string, text: string): { path: string; bytes: Uint8Array } => ({
  path,
  bytes: new TextEncoder().encode(text),
});
const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

test("a model's identity is the hash of its files' hashes in any order", async () => {
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

const tensor = (value: number): Tensor => ({ shape: [1], data: Float32Array.of(value) });
const shard = (path: string, name: string, value: number): { path: string; bytes: Uint8Array } => ({
  path,
  bytes: writeSafetensors(new Map([[name, tensor(value)]])),
});
const sharded = new Map(
  [
    file("config.json", "{}"),
    file("tokenizer.json", "{}"),
    file(
      "model.safetensors.index.json",
      '{"weight_map":{"a":"x.safetensors","b":"y.safetensors"}}',
    ),
    shard("x.safetensors", "a", 1),
    shard("y.safetensors", "b", 2),
    shard("z.safetensors", "c", 3),
    file("README.md", "A model."),
  ].map(({ path, bytes }) => [path, bytes]),
);
const read = (path: string): Promise<Uint8Array> => Promise.resolve(sharded.get(path)!);

test("the shards named by the index belong to the model", async () => {
  const paths = await selectModelFiles([...sharded.keys()], read);
  expect(paths.toSorted()).toEqual(
    [...sharded.keys()].filter((path) => !/^z|README/.test(path)).sort(),
  );
  const weights = await readModelWeights(
    new Map([...sharded].filter(([path]) => paths.includes(path))),
  );
  expect([...weights]).toEqual([
    ["a", tensor(1)],
    ["b", tensor(2)],
  ]);
});

test("a single weights file takes precedence over shards", async () => {
  const whole = new Map([...sharded, ["model.safetensors", shard("", "a", 5).bytes]]);
  const paths = await selectModelFiles([...whole.keys()], (path) =>
    Promise.resolve(whole.get(path)!),
  );
  expect(paths).not.toContain("x.safetensors");
  expect((await readModelWeights(whole)).get("a")).toEqual(tensor(5));
});

test("a folder without one of its shards is refused by the shard's name", async () => {
  const present = [...sharded.keys()].filter((path) => path !== "y.safetensors");
  await expect(selectModelFiles(present, read)).rejects.toThrow(/y\.safetensors/);
  const files = new Map([...sharded].filter(([path]) => path !== "y.safetensors"));
  await expect(readModelWeights(files)).rejects.toThrow(/y\.safetensors/);
});
