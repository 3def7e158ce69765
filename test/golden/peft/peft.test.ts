/** Adapters and merged models across PEFT and Transformers, in both directions; see generate.py. */
import { createHash } from "node:crypto";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openModelWeights,
  parseDecoderConfig,
  readPeftAdapter,
  selectDecoderWeights,
} from "@waggle/model";
import type { Adapter, ByteSource, DecoderConfig } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import * as ort from "onnxruntime-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { skipOutside } from "../../fixtures/long.ts";
import { createProgram } from "../../../trainer/src/commands/program.ts";
import { graphLogits } from "../decoder/golden-files.ts";
import { largestDifference } from "../decoder/graph-runner.ts";

const HERE = import.meta.dirname;
const TOLERANCE = 1e-4;

type Golden = {
  sequences: number[][];
  theirs: { [name: string]: number[][] };
  ours: {
    [name: string]: { flags: string[]; files: { [name: string]: string }; logits: number[][] };
  };
};

const golden = JSON.parse(await readFile(join(HERE, "golden.json"), "utf8")) as Golden;
let root: string;
let base: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "waggle-peft-"));
  base = join(root, "base");
  for (const name of ["config.json", "model.safetensors"]) {
    await cp(join(HERE, "../decoder/qwen3", name), join(base, name));
  }
  await writeFile(join(base, "tokenizer.json"), "{}");
});
afterAll(() => rm(root, { recursive: true }));

async function bytesOf(path: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(path));
}

async function readModel(folder: string): Promise<{ config: DecoderConfig; weights: TensorMap }> {
  const files = new Map<string, Uint8Array>();
  for (const name of await readdir(folder)) files.set(name, await bytesOf(join(folder, name)));
  const config = parseDecoderConfig(JSON.parse(new TextDecoder().decode(files.get("config.json"))));
  const open = (path: string): ByteSource => {
    const bytes = files.get(path) as Uint8Array;
    const read = async (at: number, length: number) => bytes.slice(at, at + length);
    return { sizeBytes: bytes.length, read };
  };
  const source = await openModelWeights((path) => files.has(path), open);
  const weights = new Map<string, Tensor>();
  for (const name of source.tensors.keys()) weights.set(name, await source.read(name));
  return { config, weights: selectDecoderWeights(config, weights) };
}

async function readAdapter(
  folder: string,
  change: object = {},
  config?: DecoderConfig,
): Promise<Adapter> {
  const json = JSON.parse(await readFile(join(folder, "adapter_config.json"), "utf8")) as object;
  const bytes = await bytesOf(join(folder, "adapter_model.safetensors"));
  const decoder = config ?? (await readModel(base)).config;
  return readPeftAdapter({ ...json, ...change }, bytes, decoder);
}

/** Runs the command on PEFT's adapter of all linear layers. */
async function save(args: string[]): Promise<void> {
  await createProgram({
    signal: new AbortController().signal,
    writeOut: () => {},
    writeError: () => {},
    environment: {},
  }).parseAsync([
    "node", "main.ts", "save-model", "--from", join(HERE, "all-linears"),
    "--base", base, ...args,
  ]);
}

/** Largest difference of the logits after each sequence. */
async function gap(folder: string, adapter: Adapter | null, expected: number[][]): Promise<number> {
  const logits = await graphLogits(await readModel(folder), golden.sequences, adapter);
  return Math.max(
    ...logits.map((rows, i) => largestDifference(rows.at(-1)!, expected[i] as number[])),
  );
}

test.each(["all-linears", "rank-stabilized", "patterns"])(
  "an adapter that PEFT wrote gives PEFT's logits (%s)",
  async (name) => {
    const expected = golden.theirs[name] as number[][];
    expect(await gap(base, await readAdapter(join(HERE, name)), expected)).toBeLessThan(TOLERANCE);
    expect(await gap(base, null, expected)).toBeGreaterThan(0.1);
  },
);

test("the adapter of the nano model that PEFT wrote gives PEFT's logits", async () => {
  const { sequence, base: alone, adapted } = JSON.parse(
    await readFile(join(HERE, "nano.json"), "utf8"),
  ) as { sequence: number[]; base: [number, number][]; adapted: [number, number][] };
  const nano = await readModel(join(HERE, "../../../packages/model/nano"));
  const adapter = await readAdapter(join(HERE, "nano"), {}, nano.config);
  const gapTo = async (expected: [number, number][], used: Adapter | null): Promise<number> => {
    const last = (await graphLogits(nano, [sequence], used))[0]!.at(-1)!;
    return Math.max(...expected.map(([token, logit]) => Math.abs(last[token]! - logit)));
  };
  expect(await gapTo(alone, null)).toBeLessThan(TOLERANCE);
  expect(await gapTo(adapted, adapter)).toBeLessThan(TOLERANCE);
  expect(await gapTo(adapted, null)).toBeGreaterThan(0.1);
});

test.each([
  ["rank-stabilized", { use_rslora: false }],
  ["patterns", { alpha_pattern: {} }],
  ["patterns", { alpha_pattern: { v_proj: 10 } }],
])("control: %s with %o differs from PEFT", async (name, change) => {
  const adapter = await readAdapter(join(HERE, name), change);
  expect(await gap(base, adapter, golden.theirs[name] as number[][])).toBeGreaterThan(0.01);
});

test("a model that Transformers merged and wrote in shards gives its logits", async () => {
  expect(await gap(join(HERE, "merged"), null, golden.theirs["merged"]!)).toBeLessThan(TOLERANCE);
});

test.for(Object.keys(golden.ours))(
  "save-model writes the bytes that PEFT and Transformers read, with our logits (%s)",
  async (name, context) => {
    skipOutside(["peft-bf16", "merged-bf16"].includes(name), context);
    const { flags, files, logits } = golden.ours[name]!;
    const out = join(root, name);
    await save(["--out", out, ...flags]);
    const written: { [name: string]: string } = {};
    for (const file of (await readdir(out)).toSorted()) {
      written[file] = createHash("sha256")
        .update(await bytesOf(join(out, file)))
        .digest("hex");
    }
    expect(written).toEqual(files);
    const found = name.startsWith("peft")
      ? await gap(base, await readAdapter(out), logits)
      : await gap(out, null, logits);
    expect(found).toBeLessThan(TOLERANCE);
  },
);

test("the ONNX file that save-model writes gives PEFT's logits on the inputs of Transformers.js", async () => {
  const out = join(root, "onnx");
  await save(["--as", "onnx", "--out", out]);
  expect((await readdir(out)).toSorted()).toEqual(["config.json", "onnx", "tokenizer.json"]);
  const session = await ort.InferenceSession.create(join(out, "onnx", "model.onnx"));
  const { keyValueHeads, headSize } = (await readModel(base)).config;
  for (const [i, ids] of golden.sequences.entries()) {
    const row = (values: number[]) =>
      new ort.Tensor("int64", BigInt64Array.from(values, BigInt), [1, values.length]);
    const past = new ort.Tensor("float32", new Float32Array(0), [1, keyValueHeads, 0, headSize]);
    const states = session.inputNames.filter((name) => name.startsWith("past_key_values."));
    const { logits } = await session.run({
      input_ids: row(ids),
      attention_mask: row(ids.map(() => 1)),
      ...Object.fromEntries(states.map((name) => [name, past])),
    });
    const expected = golden.theirs["all-linears"]?.[i] as number[];
    const last = (logits!.data as Float32Array).slice(-expected.length);
    expect(largestDifference(last, expected)).toBeLessThan(TOLERANCE);
  }
  await session.release();
});
