import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOnnxEngine } from "@waggle/engine";
import {
  initializeAdapter,
  parseDecoderConfig,
  parseStoredFormat,
  readModelWeights,
} from "@waggle/model";
import type { EngineCheckpoint, TrainEngine } from "@waggle/protocol";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { readAdapterFolder } from "../model/adapter-folder.ts";
import { openTrainerCheckpoints } from "../checkpoint/trainer-checkpoint.ts";
import { createProgram } from "../commands/program.ts";
import { initialState } from "../checkpoint/trainer-state.ts";
import { openBaseFolder } from "./base-folder.ts";

const GOLDEN = join(import.meta.dirname, "../../../test/golden/decoder/qwen3");
const SHAPE = { rank: 3, alpha: 9 };
let root: string;
let base: string;
/** A trainer's state folder: the stable version is from step 1, the newest from step 3. */
let state: string;
let saved: { readonly stable: EngineCheckpoint; readonly engine: EngineCheckpoint };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "waggle-save-"));
  [base, state] = [join(root, "base"), join(root, "state")];
  for (const name of ["config.json", "model.safetensors"]) {
    await cp(join(GOLDEN, name), join(base, name));
  }
  await writeFile(join(base, "tokenizer.json"), "{}");
  const engine = await openEngine(initializeAdapter(await config(), { ...SHAPE, seed: 5 }));
  await learn(engine, [1]);
  const stable = await engine.save();
  await learn(engine, [2, 3]);
  saved = { stable, engine: await engine.save() };
  await engine.dispose();
  const { reference } = await openBaseFolder(base);
  const { sha256: baseModel } = await reference();
  await openTrainerCheckpoints(state).commit({
    ...saved,
    state: initialState({ baseModel, recipe: "grpo", seed: 1, adapterShape: SHAPE }),
  });
});
afterAll(() => rm(root, { recursive: true }));

async function config() {
  return parseDecoderConfig(JSON.parse(await readFile(join(base, "config.json"), "utf8")));
}

async function openEngine(adapter: ReturnType<typeof initializeAdapter>): Promise<TrainEngine> {
  const bytes = new Uint8Array(await readFile(join(base, "model.safetensors")));
  const weights = await readModelWeights(new Map([["model.safetensors", bytes]]));
  const options = { config: await config(), weights, adapter, trains: "lora" } as const;
  return createOnnxEngine({ ...options, device: "cpu", threads: 1 });
}

async function learn(engine: TrainEngine, steps: readonly number[]): Promise<void> {
  for (const step of steps) {
    const tokenIds = Array.from({ length: 9 }, (_, i) => (i * i + step) % 100);
    const logProb = [Float32Array.from(tokenIds, (_, i) => Math.sin(i + step))];
    await engine.backward({ sequences: [{ tokenIds }] }, { logProb });
    await engine.optimStep({ learningRate: 0.02 });
  }
}

async function save(args: string[], options: { signal?: AbortSignal; onLine?: () => void } = {}) {
  const out: string[] = [];
  const program = createProgram({
    signal: options.signal ?? new AbortController().signal,
    writeOut: (line) => out.push(line),
    writeError: () => options.onLine?.(),
    environment: {},
  });
  await program.parseAsync(["node", "main.ts", "save-model", "--base", base, ...args]);
  return out;
}

const at = (name: string): string => join(root, name);

test("a checkpoint of a state folder continues bitwise equal, and is also an adapter", async () => {
  const out = at("checkpoint");
  const args = ["--from", state, "--as", "checkpoint", "--which", "newest", "--out", out, "--json"];
  expect(JSON.parse((await save(args))[0] ?? "")).toMatchObject({ as: "checkpoint", step: 3 });
  const { adapter, checkpoint } = await readAdapterFolder(out, await config());
  expect(adapter).toMatchObject(SHAPE);
  expect(checkpoint?.step).toBe(3);

  const fresh = initializeAdapter(await config(), { ...SHAPE, seed: 5 });
  const straight = await openEngine(fresh);
  onTestFinished(() => straight.dispose());
  await learn(straight, [1, 2, 3, 4, 5, 6]);
  const resumed = await openEngine(adapter);
  onTestFinished(() => resumed.dispose());
  await resumed.load(checkpoint as EngineCheckpoint);
  await learn(resumed, [4, 5, 6]);
  expect(await resumed.save()).toEqual(await straight.save());

  // Control: the adapter alone lacks the moments.
  const alone = await openEngine(adapter);
  onTestFinished(() => alone.dispose());
  await learn(alone, [4, 5, 6]);
  expect(await alone.parameters()).not.toEqual(await straight.parameters());
});

test("by default, the stable version of a state folder is saved", async () => {
  await save(["--from", state, "--out", at("peft")]);
  const { adapter, checkpoint } = await readAdapterFolder(at("peft"), await config());
  expect(checkpoint).toBe(null);
  for (const [name, { data }] of adapter.tensors) {
    expect(data).toEqual(saved.stable.tensors.get(`parameters/${name}`)?.data);
  }
});

test.each([
  ["moments that are not there", ["--as", "checkpoint"], "NOT_FOUND"],
  ["a quantized adapter", ["--dtype", "int8"], "INVALID_ARGUMENT"],
  ["an ONNX graph in bfloat16", ["--as", "onnx", "--dtype", "bf16"], "INVALID_ARGUMENT"],
  ["another base model", ["--base", "packages/model/nano"], "ADAPTER_INCOMPATIBLE"],
  ["a folder without anything", ["--from", "docs"], "NOT_FOUND"],
])("%s is refused and leaves no files", async (_, more, code) => {
  await save(["--from", state, "--out", at("adapter"), "--force"]);
  const before = await readdir(root);
  const args = ["--from", at("adapter"), "--out", at("refused"), "--as", "merged", ...more];
  const run = save(more[0] === "--dtype" ? [...args, "--as", "peft"] : args);
  await expect(run).rejects.toMatchObject({ code });
  expect(await readdir(root)).toEqual(before);
});

test.for(["int8", "int4"] as const)(
  "a merged folder in %s, which Transformers cannot load, is refused by name; pages get it",
  async (dtype, context) => {
    skipOutside(dtype === "int4", context);
    const args = ["--from", state, "--dtype", dtype, "--out", at(dtype)];
    await expect(save([...args, "--as", "merged"])).rejects.toThrow(
      `merged does not support --dtype ${dtype}, because Transformers cannot load this quantization: choose --as pages for @waggle/runtime, or one of f32, f16, bf16`,
    );
    await save([...args, "--as", "pages"]);
    const written = JSON.parse(await readFile(join(at(dtype), "config.json"), "utf8")) as unknown;
    expect(parseStoredFormat(written)).toBe(dtype);
    expect(written).toMatchObject({ quantization_config: { quant_method: "waggle" } });
  },
);

test("a merged folder is in float32 by default, and one for pages in int8", async () => {
  await save(["--from", state, "--as", "merged", "--out", at("plain")]);
  const plain = JSON.parse(await readFile(join(at("plain"), "config.json"), "utf8")) as object;
  expect(plain).not.toHaveProperty("quantization_config");
  const [line] = await save(["--from", state, "--as", "pages", "--out", at("small"), "--json"]);
  expect(JSON.parse(line ?? "")).toMatchObject({ as: "pages", dtype: "int8" });
});

test("a state folder with another base model is refused", async () => {
  const nano = join(import.meta.dirname, "../../../packages/model/nano");
  const run = save(["--from", state, "--out", at("other"), "--base", nano]);
  await expect(run).rejects.toThrow(/was trained on another base model/);
});

test("a stop leaves no files; existing output is only replaced on request, and only if save-model wrote it", async () => {
  const stop = new AbortController();
  const args = ["--from", state, "--as", "merged", "--out", at("merged"), "--shard-size", "0.05"];
  const before = await readdir(root);
  const stopped = save(args, { signal: stop.signal, onLine: () => stop.abort() });
  await expect(stopped).rejects.toMatchObject({ name: "AbortError" });
  expect(await readdir(root)).toEqual(before);

  await save(args);
  const files = await readdir(at("merged"));
  expect(files.filter((name) => name.startsWith("model-")).length).toBeGreaterThan(2);
  await expect(save(args)).rejects.toMatchObject({ code: "CONFLICT" });
  await save([...args.slice(0, -2), "--force"]);
  expect(await readdir(at("merged"))).toContain("model.safetensors");
  await mkdir(at("mine"));
  await writeFile(join(at("mine"), "thesis.txt"), "mine");
  const over = save(["--from", state, "--out", at("mine"), "--force"]);
  await expect(over).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await readdir(at("mine"))).toEqual(["thesis.txt"]);
});
