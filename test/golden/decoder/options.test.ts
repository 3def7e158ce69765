/** Options of building a graph: external data, chosen logits, Hugging Face's inputs, lazy weights. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HUGGINGFACE_INPUTS, buildDecoderGraph, stateShape } from "@waggle/model";
import { openSafetensors } from "../../../packages/model/src/files/tensor-source.ts";
import type { ByteSource, DecoderGraph } from "@waggle/model";
import * as ort from "onnxruntime-node";
import { expect, test } from "vitest";
import { skipOutside } from "../../fixtures/long.ts";
import type { GoldenDecoder } from "./golden.ts";
import { graphLogits, readGolden } from "./golden-files.ts";
import { GraphRunner, largestDifference } from "./graph-runner.ts";

const flat = (rows: readonly Float32Array[]): number[] => rows.flatMap((row) => [...row]);

async function expectedLogits(golden: GoldenDecoder): Promise<Float32Array[]> {
  const [rows] = await graphLogits(golden, [golden.cases.plain.sequences[0]!.tokenIds], null);
  return rows!;
}

test.for(["f32", "int4"] as const)(
  "%s weights in several external files give the same logits",
  async (dtype, context) => {
    skipOutside(dtype === "int4", context);
    const golden = await readGolden("lfm2");
    const { config, weights } = golden;
    const { tokenIds } = golden.cases.plain.sequences[0]!;
    const external = { threshold: 10_000, fileBytes: 40_000 };
    const graph = await buildDecoderGraph(config, weights, { lora: null, dtype, external });
    expect(graph.externalData.length).toBeGreaterThan(1);
    expect(graph.externalData[0]!.path).toBe("model.onnx_data");
    expect(graph.externalData[1]!.path).toBe("model.onnx_data_1");
    const outside = graph.externalData.reduce((sum, { data }) => sum + data.length, 0);
    expect(graph.model.length).toBeLessThan(outside / 2);
    const runner = await GraphRunner.open(ort, graph, config);
    const [logits] = await runner.logits([tokenIds]);
    await runner.release();
    const [expected] = await graphLogits(golden, [tokenIds], null, { dtype });
    expect(logits).toEqual(expected);
  },
);

test("weights below the threshold stay in the model file", async () => {
  const { config, weights } = await readGolden("qwen2");
  const graph = await buildDecoderGraph(config, weights, { lora: null });
  expect(graph.externalData).toEqual([]);
});

test("a checkpoint read slice by slice gives the same model as one in memory", async () => {
  const golden = await readGolden("qwen2");
  const bytes = new Uint8Array(
    await readFile(join(import.meta.dirname, "qwen2", "model.safetensors")),
  );
  let largestRead = 0;
  const file: ByteSource = {
    sizeBytes: bytes.length,
    read: async (offset, length) => {
      largestRead = Math.max(largestRead, length);
      return bytes.slice(offset, offset + length);
    },
  };
  const options = { lora: null, dtype: "int8" } as const;
  const lazy = await buildDecoderGraph(golden.config, await openSafetensors(file), options);
  const eager = await buildDecoderGraph(golden.config, golden.weights, options);
  expect(lazy.model).toEqual(eager.model);
  expect(largestRead).toBeLessThan(bytes.length / 8);
});

test("gemma3's text half is found in a checkpoint with an image encoder", async () => {
  const golden = await readGolden("gemma3_text");
  const expected = await buildDecoderGraph(golden.config, golden.weights, { lora: null });
  for (const prefix of ["language_model.model.", "model.language_model."]) {
    const weights = new Map(
      [...golden.weights].map(([name, tensor]) => [name.replace(/^model\./, prefix), tensor]),
    );
    const graph = await buildDecoderGraph(golden.config, weights, { lora: null });
    expect(graph.model).toEqual(expected.model);
  }
});

function emptyStates(graph: DecoderGraph, rows: number): Record<string, ort.Tensor> {
  return Object.fromEntries(
    graph.states.map((state) => {
      const shape = stateShape(state, rows, 0);
      const size = shape.reduce((product, dim) => product * dim, 1);
      return [state.past, new ort.Tensor("float32", new Float32Array(size), shape)];
    }),
  );
}

test.each(["f32", "int8"] as const)("only the rows that are asked for get logits (%s)", async (dtype) => {
  const golden = await readGolden("gemma3_text");
  const { config, weights, cases } = golden;
  const [long, short] = cases.plain.sequences.map(({ tokenIds }) => tokenIds);
  const graph = await buildDecoderGraph(config, weights, { lora: null, dtype, logitRows: true });
  const session = await ort.InferenceSession.create(graph.model);
  const ids = [...long!, ...short!, ...Array<number>(17).fill(0)];
  const { logits } = await session.run({
    ...emptyStates(graph, 2),
    input_ids: new ort.Tensor("int32", Int32Array.from(ids), [2, 41]),
    seqlens_k: new ort.Tensor("int32", Int32Array.of(40, 23), [2]),
    total_sequence_length: new ort.Tensor("int32", Int32Array.of(41), []),
    logit_rows: new ort.Tensor("int32", Int32Array.of(41 + 23, 7, 40), [3]),
  });
  await session.release();
  expect(logits!.dims).toEqual([1, 3, 100]);
  const [first, second] = await graphLogits(golden, [long!, short!], null, { dtype });
  const expected = [second![23]!, first![7]!, first![40]!];
  expect(largestDifference(logits!.data as Float32Array, flat(expected))).toBeLessThan(1e-4);
});

test.for(["qwen3", "gemma3_text", "lfm2"] as const)(
  "with Hugging Face's inputs %s gives the same, prefill and steps",
  async (modelType, context) => {
    skipOutside(modelType === "gemma3_text", context);
    const golden = await readGolden(modelType);
    const { config, weights } = golden;
    const { tokenIds } = golden.cases.plain.sequences[0]!;
    const graph = await buildDecoderGraph(config, weights, { lora: null, inputs: HUGGINGFACE_INPUTS });
    const session = await ort.InferenceSession.create(graph.model);
    expect(session.inputNames.slice(0, 2)).toEqual(["input_ids", "attention_mask"]);
    let states = emptyStates(graph, 1);
    const rows: Float32Array[] = [];
    for (let past = 0; past < tokenIds.length; ) {
      const part = tokenIds.slice(past, past === 0 ? 30 : past + 1);
      past += part.length;
      const results = await session.run({
        ...states,
        input_ids: new ort.Tensor("int64", BigInt64Array.from(part, BigInt), [1, part.length]),
        attention_mask: new ort.Tensor("int64", new BigInt64Array(past).fill(1n), [1, past]),
      });
      rows.push(results["logits"]!.data as Float32Array);
      states = Object.fromEntries(graph.states.map((s) => [s.past, results[s.present]!]));
    }
    await session.release();
    expect(largestDifference(flat(rows), flat(await expectedLogits(golden)))).toBeLessThan(1e-4);
  },
);

test.for(["qwen3", "gemma3_text", "lfm2"] as const)(
  "with Hugging Face's inputs rows of %s may be padded on the left, prefill and steps",
  async (modelType, context) => {
    skipOutside(modelType === "gemma3_text", context);
    const golden = await readGolden(modelType);
    const { config, weights, cases } = golden;
    const [long = [], short = []] = cases.plain.sequences.map(({ tokenIds }) => tokenIds);
    const expected = await graphLogits(golden, [long, short], null);
    const graph = await buildDecoderGraph(config, weights, { lora: null, inputs: HUGGINGFACE_INPUTS });
    const session = await ort.InferenceSession.create(graph.model);
    const integers = (rows: number[][]) =>
      new ort.Tensor("int64", BigInt64Array.from(rows.flat(), BigInt), [2, rows[0]!.length]);
    const padding = Array<number>(long.length - short.length).fill(0);
    const rows = [long, [...padding, ...short]];
    const mask = rows.map((row) => row.map((_, i) => Number(row === long || i >= padding.length)));
    let states = emptyStates(graph, 2);
    const read: [number[], number[]] = [[], []];
    for (let past = 0; past < long.length; ) {
      const end = past === 0 ? long.length - 2 : past + 1;
      const results = await session.run({
        ...states,
        input_ids: integers(rows.map((row) => row.slice(past, end))),
        attention_mask: integers(mask.map((row) => row.slice(0, end))),
      });
      const logits = results["logits"]!.data as Float32Array;
      for (const [i, into] of read.entries()) {
        into.push(...logits.slice((i * logits.length) / 2, ((i + 1) * logits.length) / 2));
      }
      states = Object.fromEntries(graph.states.map((s) => [s.past, results[s.present]!]));
      past = end;
    }
    await session.release();
    const real = read[1].slice(padding.length * config.vocabularySize);
    expect(largestDifference(Float32Array.from(read[0]), flat(expected[0]!))).toBeLessThan(1e-4);
    expect(largestDifference(Float32Array.from(real), flat(expected[1]!))).toBeLessThan(1e-4);
  },
);

test("formats that contradict each other are refused", async () => {
  const { config, weights } = await readGolden("qwen2");
  const build = buildDecoderGraph(config, weights, { lora: null, dtype: "f16", activations: "f32" });
  await expect(build).rejects.toThrow(/f16 matrices need f16 activations/);
});
