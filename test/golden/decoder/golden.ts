/** Reads the committed golden decoders and runs the inference graph on them. Tests only. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  adapterGraphInputs,
  buildDecoderGraph,
  parseDecoderConfig,
  readAdapter,
  readSafetensors,
  selectDecoderWeights,
} from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { InferenceSession, Tensor } from "onnxruntime-node";

type GoldenOutputs = {
  logProb: number[];
  rawLogProb: number[];
  entropy: number[];
  sumSquaredProb: number[];
};

/** Sequences with their per-token outputs, and logits at some positions. */
type GoldenCase = {
  sequences: { tokenIds: number[]; temperatures: number[]; keptTokenIds: (number[] | null)[] }[];
  outputs: GoldenOutputs[];
  logits: { positions: number[]; values: number[][] }[];
  derivatives?: { logProb: number[][]; rawLogProb: number[][]; entropy: number[][] };
};

export type GoldenDecoder = {
  config: DecoderConfig;
  weights: TensorMap;
  adapter: Adapter;
  gradients: TensorMap;
  cases: { plain: GoldenCase; cool: GoldenCase; full: GoldenCase; lora: GoldenCase };
};

export function readGolden(modelType: "qwen3" | "llama"): GoldenDecoder {
  const read = (name: string): Buffer => readFileSync(join(import.meta.dirname, modelType, name));
  const golden = JSON.parse(read("golden.json").toString()) as {
    rank: number;
    alpha: number;
    cases: GoldenDecoder["cases"];
  };
  const config = parseDecoderConfig(JSON.parse(read("config.json").toString()));
  return {
    config,
    weights: selectDecoderWeights(config, readSafetensors(read("model.safetensors")).tensors),
    adapter: readAdapter(read("adapter_model.safetensors"), golden, config),
    gradients: readSafetensors(read("gradients.safetensors")).tensors,
    cases: golden.cases,
  };
}

/** Logits `[T][V]` of each sequence from the inference graph on the native CPU provider. */
export async function graphLogits(
  { config, weights }: Pick<GoldenDecoder, "config" | "weights">,
  sequences: readonly (readonly number[])[],
  adapter: Adapter | null,
): Promise<Float32Array[][]> {
  const lora = adapter && { rank: adapter.rank };
  const { model } = await buildDecoderGraph(config, weights, { lora });
  const session = await InferenceSession.create(model);
  const feeds: Record<string, Tensor> = {};
  for (let layer = 0; layer < config.layers; layer++) {
    for (const side of ["key", "value"]) {
      const dims = [1, config.keyValueHeads, 0, config.headSize];
      feeds[`past_key_values.${layer}.${side}`] = new Tensor("float32", new Float32Array(0), dims);
    }
  }
  if (adapter) {
    for (const [name, tensor] of adapterGraphInputs(config, adapter, adapter.rank)) {
      feeds[name] = new Tensor("float32", tensor.data, tensor.shape);
    }
  }
  const results: Float32Array[][] = [];
  for (const tokenIds of sequences) {
    const length = tokenIds.length;
    const { logits } = await session.run({
      ...feeds,
      input_ids: new Tensor("int32", Int32Array.from(tokenIds), [1, length]),
      seqlens_k: new Tensor("int32", Int32Array.of(length - 1), [1]),
      total_sequence_length: new Tensor("int32", Int32Array.of(length), []),
    });
    const flat = logits!.data as Float32Array;
    const vocabulary = config.vocabularySize;
    results.push(
      tokenIds.map((_, t) => flat.slice(t * vocabulary, (t + 1) * vocabulary)),
    );
  }
  await session.release();
  return results;
}

export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (Number.isNaN(difference)) return NaN; // fails every bound
    largest = Math.max(largest, difference);
  }
  return largest;
}
