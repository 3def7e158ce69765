import { splitmix32, standardNormal } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { expect, test } from "vitest";
import { adapterGraphInputs, initializeAdapter } from "../adapters/adapter.ts";
import type { Adapter } from "../adapters/adapter.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { buildDecoderGraph } from "./decoder-graph.ts";
import { BRANCHES } from "./graph-branches.ts";
import { initializeDecoder } from "../decoder/decoder-parameters.ts";
import type { OnnxDataType } from "../onnx/onnx-wire.ts";
import { parameterCount } from "../decoder/parameter-count.ts";
import { PlainDecoder } from "../decoder/plain-decoder.ts";
import { mergeAdapter } from "../weights/merged-weights.ts";
import type { WeightStore } from "../weights/weight-store.ts";

const qwen3: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 50,
  width: 24,
  layers: 2,
  heads: 4,
  keyValueHeads: 2,
  headSize: 16,
  feedForwardSize: 40,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 64,
  ropeScaling: null,
};
const llama: DecoderConfig = {
  ...qwen3,
  modelType: "llama",
  keyValueHeads: 1,
  tiedEmbeddings: false,
  ropeScaling: {
    type: "llama3",
    factor: 8,
    lowFrequencyFactor: 1,
    highFrequencyFactor: 4,
    originalContextLength: 16,
  },
};

/** Logits `[T][V]` of the plain decoder. */
function plainLogits(config: DecoderConfig, weights: TensorMap, tokenIds: number[]): number[][] {
  const decoder = new PlainDecoder(config, weights);
  return tokenIds.map((id) => [...decoder.read(id)]);
}

/** Weights large enough that every part of the decoder affects the logits. */
function loudWeights(config: DecoderConfig, seed: number): TensorMap {
  const random = splitmix32(seed);
  return new Map(
    [...initializeDecoder(config, seed)].map(([name, { shape, data }]) => [
      name,
      {
        shape,
        data: data.map((v) => (shape.length === 1 ? 1 + 0.3 * standardNormal(random) : v * 15)),
      },
    ]),
  );
}

function loudAdapter(config: DecoderConfig, rank: number): Adapter {
  const adapter = initializeAdapter(config, { rank, alpha: 6, seed: 5 });
  const random = splitmix32(6);
  const tensors = new Map(
    [...adapter.tensors].map(([name, { shape, data }]) => [
      name,
      { shape, data: data.map(() => 0.3 * standardNormal(random)) },
    ]),
  );
  return { ...adapter, tensors };
}

/** Runs the rows through one cache in chunks of the given lengths; logits by row and position. */
async function runGraph(
  config: DecoderConfig,
  bytes: Uint8Array,
  rows: number[][],
  chunks: number[],
  lora: TensorMap = new Map(),
): Promise<number[][][]> {
  const session = await InferenceSession.create(bytes);
  const batch = rows.length;
  const adapter = Object.fromEntries(
    [...lora].map(([name, { shape, data }]) => [name, new Tensor("float32", data, shape)]),
  );
  let cache: Record<string, Tensor> = {};
  for (let layer = 0; layer < config.layers; layer++) {
    for (const side of ["key", "value"]) {
      cache[`past_key_values.${layer}.${side}`] = new Tensor("float32", new Float32Array(0), [
        batch,
        config.keyValueHeads,
        0,
        config.headSize,
      ]);
    }
  }
  const logits: number[][][] = rows.map(() => []);
  let past = 0;
  for (const length of chunks) {
    const ids = rows.flatMap((row) => Array.from({ length }, (_, i) => row[past + i] ?? 0));
    const results = await session.run({
      ...adapter,
      ...cache,
      input_ids: new Tensor("int32", Int32Array.from(ids), [batch, length]),
      seqlens_k: new Tensor(
        "int32",
        Int32Array.from(rows, (row) => Math.min(row.length, past + length) - 1),
        [batch],
      ),
      total_sequence_length: new Tensor("int32", Int32Array.of(past + length), []),
    });
    const flat = results["logits"]?.data as Float32Array;
    for (let row = 0; row < batch; row++) {
      for (let t = 0; t < length && past + t < rows[row]!.length; t++) {
        const at = (row * length + t) * config.vocabularySize;
        logits[row]!.push(Array.from(flat.slice(at, at + config.vocabularySize)));
      }
    }
    cache = Object.fromEntries(
      Object.keys(cache).map((name) => [
        name,
        results[name.replace("past_key_values", "present")]!,
      ]),
    );
    past += length;
  }
  await session.release();
  return logits;
}

function largestDifference(a: number[][], b: number[][]): number {
  expect(a.length).toBe(b.length);
  return Math.max(...a.flatMap((row, t) => row.map((value, i) => Math.abs(value - b[t]![i]!))));
}

const tokens = (length: number, seed: number): number[] => {
  const random = splitmix32(seed);
  return Array.from({ length }, () => Math.floor(random() * 50));
};

for (const config of [qwen3, llama]) {
  test(`a ${config.modelType} graph gives the plain decoder's logits`, async () => {
    const weights = loudWeights(config, 1);
    const ids = tokens(40, 2);
    const plain = plainLogits(config, weights, ids);
    const { model: bytes } = await buildDecoderGraph(config, weights, { lora: null });
    const [whole] = await runGraph(config, bytes, [ids], [40]);
    expect(Math.max(...plain.flat())).toBeGreaterThan(3);
    expect(largestDifference(whole!, plain)).toBeLessThan(1e-4);
  });

  test(`a ${config.modelType} graph gives the same logits in chunks as in one run`, async () => {
    const weights = loudWeights(config, 1);
    const ids = tokens(40, 2);
    const { model: bytes } = await buildDecoderGraph(config, weights, { lora: null });
    const [whole] = await runGraph(config, bytes, [ids], [40]);
    const [chunked] = await runGraph(config, bytes, [ids], [17, 1, 1, 20, 1]);
    expect(largestDifference(chunked!, whole!)).toBeLessThan(1e-4);
  });

  test(`a ${config.modelType} graph with adapter inputs gives the merged weights' logits`, async () => {
    const weights = loudWeights(config, 3);
    const adapter = loudAdapter(config, 3);
    const ids = tokens(30, 4);
    const { model: bytes } = await buildDecoderGraph(config, weights, { lora: { rank: 5 } });
    const run = (a: Adapter | null): Promise<number[][][]> =>
      runGraph(config, bytes, [ids], [30], adapterGraphInputs(config, a, 5));
    const merged = plainLogits(config, mergeAdapter(config, weights, adapter), ids);
    const base = plainLogits(config, weights, ids);
    expect(largestDifference(merged, base)).toBeGreaterThan(0.5);
    expect(largestDifference((await run(adapter))[0]!, merged)).toBeLessThan(1e-4);
    expect(largestDifference((await run(null))[0]!, base)).toBeLessThan(1e-4);
  });
}

for (const config of [qwen3, llama]) {
  test(`weights of ${config.modelType} in a store are shared by a second graph, each matrix once`, async () => {
    const weights = loudWeights(config, 3);
    const tensors = new Map<string, { type: OnnxDataType; shape: readonly number[] }>();
    const held: Map<string, { shape: readonly number[]; data: Float32Array }> = new Map();
    const store: WeightStore = {
      tensors,
      add: async (name, type, shape, data) => {
        tensors.set(name, { type, shape });
        held.set(name, { shape, data: data as Float32Array });
      },
    };
    const first = await buildDecoderGraph(config, weights, { lora: null, store });
    const second = await buildDecoderGraph(config, new Map(), { lora: { rank: 5 }, store });
    const ids = tokens(30, 4);
    const base = plainLogits(config, weights, ids);
    const [whole] = await runGraph(config, first.model, [ids], [17, 13], held);
    expect(largestDifference(whole!, base)).toBeLessThan(1e-4);
    const adapter = loudAdapter(config, 3);
    const fed = new Map([...held, ...adapterGraphInputs(config, adapter, 5)]);
    const [adapted] = await runGraph(config, second.model, [ids], [30], fed);
    const merged = plainLogits(config, mergeAdapter(config, weights, adapter), ids);
    expect(largestDifference(adapted!, merged)).toBeLessThan(1e-4);
    const numbers = [...held.values()].reduce((sum, { data }) => sum + data.length, 0);
    // The two rotary tables besides the parameters.
    expect(numbers).toBe(parameterCount(config) + config.contextLength * config.headSize);
  });
}

test("rows of different length in one prefill do not affect each other", async () => {
  const weights = loudWeights(qwen3, 7);
  const rows = [tokens(9, 1), tokens(23, 2), tokens(16, 3)];
  const { model: bytes } = await buildDecoderGraph(qwen3, weights, { lora: null });
  const logits = await runGraph(qwen3, bytes, rows, [23]);
  for (const [index, row] of rows.entries()) {
    expect(largestDifference(logits[index]!, plainLogits(qwen3, weights, row))).toBeLessThan(1e-4);
  }
});

test("a head size that the attention kernel cannot rotate is refused when the graph is built", async () => {
  const narrow = { ...qwen3, headSize: 8 };
  const weights = initializeDecoder(narrow, 1);
  await expect(buildDecoderGraph(narrow, weights, { lora: null })).rejects.toThrow(
    /multiple of 16, got 8/,
  );
});

test("branches are refused for a model with layers that do not attend to all positions", async () => {
  const config: DecoderConfig = {
    ...qwen3,
    layerKinds: ["sliding", "attention"],
    slidingWindow: 8,
    localRopeTheta: 1000,
  };
  const graph = buildDecoderGraph(config, new Map(), { lora: null, inputs: BRANCHES });
  await expect(graph).rejects.toThrow(
    "layers that do not attend to all positions, which branches need",
  );
});

test("weights of another shape are refused", async () => {
  const weights = initializeDecoder(qwen3, 1);
  await expect(buildDecoderGraph({ ...qwen3, width: 32 }, weights, { lora: null })).rejects.toThrow(
    /must have shape \[50, 32\]/,
  );
});
