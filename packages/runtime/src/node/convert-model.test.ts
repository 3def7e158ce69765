import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  buildDecoderGraph,
  readModelWeights,
  readSafetensors,
  selectDecoderWeights,
  tensorMapSource,
} from "@waggle/model";
import type { TensorSource, WeightFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFallbackStorage } from "../store/chunk-storage.ts";
import { FaultServer } from "../store/fault-server.fixture.ts";
import { loadModel } from "../store/load-model.ts";
import { openModel } from "../store/loaded-model.ts";
import { TINY_CONFIG, tinyModelFiles, tinyWeights } from "../tiny-decoder.fixture.ts";
import { convertModel } from "./convert-model.ts";

let root: string;
let source: string;
const files = tinyModelFiles().set("tokenizer.json", new TextEncoder().encode("{}"));
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "waggle-convert-"));
  source = await mkdtemp(join(root, "source-"));
  for (const [name, bytes] of files) await writeFile(join(source, name), bytes);
});
afterEach(() => rm(root, { recursive: true }));

/** The folder as a visitor would pick it. */
async function pick(folder: string) {
  const picked = [];
  for (const name of await readdir(folder)) {
    picked.push(new File([await readFile(join(folder, name))], name));
  }
  const storage = createFallbackStorage(null);
  const model = await loadModel({ kind: "folder", folder: picked }, { storage });
  return { model, weights: await (await openModel(model, { storage })).weights() };
}

const contents = async (folder: string) => {
  const names = (await readdir(folder)).toSorted();
  return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))]));
};

test.each(["int8", "int4"] as const)(
  "the graph of weights stored in %s equals that of the original bit for bit",
  async (format) => {
    const out = join(root, format);
    await convertModel({ source, format, out });
    const { model, weights } = await pick(out);
    expect(model.storedFormat).toBe(format);
    const options = { lora: null, dtype: format, activations: "f16", maxPositions: 16 } as const;
    const original = tensorMapSource(tinyWeights());
    const built = await buildDecoderGraph(TINY_CONFIG, weights, options);
    expect(built.model).toEqual((await buildDecoderGraph(TINY_CONFIG, original, options)).model);
  },
);

test.each(["f16", "bf16", "f32"] as const)(
  "weights stored in %s run in any format",
  async (format) => {
    const out = join(root, format);
    await convertModel({ source, format, out });
    expect((await pick(out)).model.storedFormat).toBe(null);
    const read = async (path: string) => new Uint8Array(await readFile(join(out, path)));
    const stored = await readModelWeights(
      new Map([["model.safetensors", await read("model.safetensors")]]),
    );
    for (const [name, { data }] of selectDecoderWeights(TINY_CONFIG, stored)) {
      const original = tinyWeights().get(name)?.data ?? [];
      const limit = { f32: 0, f16: 2 ** -11, bf16: 2 ** -8 }[format]; // half a unit of the last bit
      for (const [i, value] of original.entries()) {
        expect(Math.abs((data[i] as number) - value)).toBeLessThanOrEqual(
          limit * Math.abs(value) + (limit && 2 ** -25),
        );
      }
    }
  },
);

test("a stopped conversion resumes after its complete shards", async () => {
  const whole = join(root, "whole");
  const stopped = join(root, "stopped");
  const options = { source, format: "int4", shardBytes: 4000 } as const;
  const { shards } = await convertModel({ ...options, out: whole });
  expect(shards).toBeGreaterThan(2);

  const abort = new AbortController();
  const run = convertModel({
    ...options,
    out: stopped,
    signal: abort.signal,
    onProgress: ({ step, doneBytes }) =>
      void (step === "convert" && doneBytes > 5000 && abort.abort()),
  });
  await expect(run).rejects.toMatchObject({ name: "AbortError" });
  const left = await readdir(stopped);
  expect(left).toContain(`model-00001-of-0000${shards}.safetensors`);
  expect(left.filter((name) => /config|partial/.test(name))).toEqual([]);

  const { keptShards } = await convertModel({ ...options, out: stopped });
  expect(keptShards).toBeGreaterThan(0);
  expect(await contents(stopped)).toEqual(await contents(whole));
  expect((await pick(stopped)).weights.tensors.size).toBeGreaterThan(10);

  // other weights share no shard with it
  await writeFile(
    join(source, "model.safetensors"),
    tinyModelFiles(2).get("model.safetensors") ?? "",
  );
  expect((await convertModel({ ...options, out: stopped })).keptShards).toBe(0);
  await convertModel({ source, format: "int4", out: stopped });
  expect((await readdir(stopped)).filter((name) => name.includes("safetensors"))).toEqual([
    "model.safetensors",
  ]);
});

test("a model on a server is converted like a folder", async () => {
  const server = await FaultServer.start();
  try {
    for (const [name, bytes] of files) server.files.set(`/tiny/${name}`, { bytes, etag: '"1"' });
    const remote = { kind: "url", baseUrl: `${server.url}/tiny` } as const;
    const options = { source: remote, format: "int8", out: join(root, "remote") } as const;
    await convertModel(options);
    await convertModel({ source, format: "int8", out: join(root, "local") });
    // A complete one is not fetched again, and one with a missing file is.
    server.requests.length = 0;
    expect(await convertModel(options)).toMatchObject({ shards: 1, keptShards: 1 });
    expect(server.requests).toEqual([]);
    await rm(join(options.out, "tokenizer.json"));
    await convertModel(options);
    expect(server.requests).not.toEqual([]);
  } finally {
    await server.stop();
  }
  const tensorsOf = async (name: string) =>
    readSafetensors(await readFile(join(root, name, "model.safetensors"))).tensors;
  expect(await tensorsOf("remote")).toEqual(await tensorsOf("local"));
  const local = await readdir(join(root, "local"));
  expect(await readdir(join(root, "remote"))).toEqual(["converted.json", ...local].toSorted());
});

test("a model is not converted into its own folder, where it would be overwritten", async () => {
  const run = convertModel({ source, format: "int4", out: `${source}/.` });
  await expect(run).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  expect(await readFile(join(source, "model.safetensors"))).toEqual(
    Buffer.from(tinyModelFiles().get("model.safetensors") ?? ""),
  );
});

test("a folder is read before it is converted, and both report their progress", async () => {
  const steps: string[] = [];
  await convertModel({
    source,
    format: "int8",
    out: join(root, "out"),
    onProgress: ({ step, doneBytes, totalBytes }) =>
      steps.push(`${step}${doneBytes === totalBytes ? " all" : ""}`),
  });
  expect([steps[0], steps.includes("read all"), steps.at(-1)]).toEqual([
    "read",
    true,
    "convert all",
  ]);
});

test("quantized weights are neither quantized again nor run in another format", async () => {
  const out = join(root, "int8");
  await convertModel({ source, format: "int8", out });
  const codeOf = (promise: Promise<unknown>) =>
    promise.catch((error: unknown) => (WaggleError.is(error) ? error.code : String(error)));
  expect(await codeOf(convertModel({ source: out, format: "int4", out: join(root, "x") }))).toBe(
    "MODEL_UNSUPPORTED",
  );
  const { weights } = await pick(out);
  const build = (dtype: WeightFormat) =>
    codeOf(buildDecoderGraph(TINY_CONFIG, weights, { lora: null, dtype, maxPositions: 16 }));
  expect(await build("int4")).toBe("MODEL_UNSUPPORTED");
  expect(await build("f32")).toBe("MODEL_CORRUPT");
});

test("a calibration is part of the model, and other weights do not keep it", async () => {
  const calibration = '{"map":[[0,0.5]]}';
  await writeFile(join(source, "calibration.json"), calibration);
  const out = join(root, "out");
  await convertModel({ source, format: "f32", out });
  expect(await readFile(join(out, "calibration.json"), "utf8")).toBe(calibration);
  const { model } = await pick(out);
  expect(model.files.map(({ path }) => path)).toContain("calibration.json");

  const change = { identity: "merged", weightsOf: (weights: TensorSource) => weights };
  await convertModel({ source, format: "f32", out, change });
  expect(await readdir(out)).not.toContain("calibration.json");
});
