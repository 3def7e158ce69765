/** The committed golden decoders: weights, adapter and reference values. For tests; opens no files. */
import { parseDecoderConfig, readAdapter, readSafetensors, selectDecoderWeights } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { largestDifference } from "./graph-runner.ts";

/** Folders beside this file. */
export const GOLDEN_TYPES = ["qwen3", "llama", "qwen2", "gemma3_text", "smollm3", "lfm2"] as const;

type GoldenOutputs = {
  logProb: number[];
  rawLogProb: number[];
  entropy: number[];
  sumSquaredProb: number[];
};

/** Sequences with their outputs per token, and logits at some positions. */
export type GoldenCase = {
  sequences: { tokenIds: number[]; temperatures: number[]; keptTokenIds: (number[] | null)[] }[];
  outputs: GoldenOutputs[];
  logits: { positions: number[]; values: number[][] }[];
};

/** A golden decoder with its reference values. */
export type GoldenDecoder = {
  config: DecoderConfig;
  weights: TensorMap;
  adapter: Adapter;
  cases: { plain: GoldenCase; full: GoldenCase; lora: GoldenCase };
};

/** Loads a golden decoder. @param read - returns the bytes of a file in the folder of a type. */
export async function loadGolden(
  read: (name: string) => Promise<Uint8Array> | Uint8Array,
): Promise<GoldenDecoder> {
  const json = async (name: string): Promise<unknown> =>
    JSON.parse(new TextDecoder().decode(await read(name)));
  const golden = (await json("golden.json")) as {
    rank: number;
    alpha: number;
    cases: GoldenDecoder["cases"];
  };
  const config = parseDecoderConfig(await json("config.json"));
  const { tensors } = readSafetensors(await read("model.safetensors"));
  return {
    config,
    weights: selectDecoderWeights(config, tensors),
    adapter: readAdapter(await read("adapter_model.safetensors"), golden, config),
    cases: golden.cases,
  };
}

/** Largest difference from the reference at the positions that the case contains. @param logits by row. */
export function goldenGap(
  golden: Pick<GoldenCase, "logits">,
  logits: readonly Float32Array[][],
): number {
  const gaps = logits.flatMap((rows, index) => {
    const { positions, values } = golden.logits[index]!;
    return positions.map((position, i) => largestDifference(rows[position]!, values[i]!));
  });
  return gaps.some(Number.isNaN) ? NaN : Math.max(...gaps);
}
