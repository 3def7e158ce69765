/** Reads the golden decoders of `test/golden/decoder`, computed by PyTorch in float64. Tests only. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDecoderConfig, readAdapter, readSafetensors } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap, TrainSequence } from "@waggle/protocol";

const FOLDER = join(import.meta.dirname, "../../../test/golden/decoder");

type PerToken = readonly number[];

export type GoldenCase = {
  readonly sequences: readonly TrainSequence[];
  readonly outputs: readonly {
    readonly [name in "logProb" | "rawLogProb" | "entropy" | "sumSquaredProb"]: PerToken;
  }[];
  readonly derivatives?: {
    readonly [name in "logProb" | "rawLogProb" | "entropy"]: readonly PerToken[];
  };
};

export type GoldenDecoder = {
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly adapter: Adapter;
  /** Of some weights (case `full`) and of all adapter tensors (case `lora`). */
  readonly gradients: TensorMap;
  readonly cases: { readonly [name in "plain" | "cool" | "full" | "lora"]: GoldenCase };
};

export function readGoldenDecoder(modelType: "qwen3" | "llama"): GoldenDecoder {
  const read = (name: string): Uint8Array => readFileSync(join(FOLDER, modelType, name));
  const json = (name: string): unknown => JSON.parse(new TextDecoder().decode(read(name)));
  const config = parseDecoderConfig(json("config.json"));
  const golden = json("golden.json") as Pick<GoldenDecoder, "cases"> & {
    rank: number;
    alpha: number;
  };
  return {
    config,
    weights: readSafetensors(read("model.safetensors")).tensors,
    adapter: readAdapter(read("adapter_model.safetensors"), golden, config),
    gradients: readSafetensors(read("gradients.safetensors")).tensors,
    cases: golden.cases,
  };
}
