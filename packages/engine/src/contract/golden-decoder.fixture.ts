/** Reads the golden decoders of `test/golden/decoder`, computed by PyTorch in float64. Tests only. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDecoderConfig, readAdapter, readSafetensors, VALUE_HEAD } from "@waggle/model";
import type { Adapter, DecoderConfig, ValueHead } from "@waggle/model";
import type { TensorMap, TrainSequence } from "@waggle/protocol";

const FOLDER = join(import.meta.dirname, "../../../../test/golden/decoder");

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

/** Types that are trained. */
export const GOLDEN_TYPES = ["qwen3", "llama", "qwen2", "smollm3"] as const;

export type GoldenDecoder = {
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly adapter: Adapter;
  /**
   * Of every weight (case `full`; of `qwen2` and `smollm3` one of each kind and what sets them apart) or
   * every tensor of the adapter (case `lora`).
   */
  readonly gradients: (trains: "full" | "lora") => TensorMap;
  readonly cases: { readonly [name in "plain" | "full" | "lora"]: GoldenCase } & {
    /** Of `qwen3` and `llama`. */
    readonly cool?: GoldenCase;
  };
};

/** Log-probs of candidates, values of heads, and the gradients of each by name. */
export type GoldenHeads = {
  readonly sequences: readonly TrainSequence[];
  readonly valueHead: ValueHead;
  readonly derivatives: {
    readonly candidateLogProbs: readonly (readonly (PerToken | null)[])[];
    readonly values: readonly PerToken[];
  };
  readonly outputs: { readonly [trains in "full" | "lora"]: readonly GoldenHeadOutputs[] };
  readonly gradients: (
    output: "candidateLogProbs" | "values",
    trains: "full" | "lora",
  ) => TensorMap;
};

type GoldenHeadOutputs = {
  readonly candidateLogProbs: readonly (PerToken | null)[];
  readonly values: PerToken;
};

/** Of the same weights and adapter, by `generate_heads.py`. */
export function readGoldenHeads(modelType: "qwen3" | "llama"): GoldenHeads {
  const read = (name: string): Uint8Array => readFileSync(join(FOLDER, modelType, name));
  const { tensors } = readSafetensors(read("heads.safetensors"));
  const within = (prefix: string): TensorMap =>
    new Map(
      [...tensors]
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, tensor]) => [name.slice(prefix.length), tensor] as const),
    );
  const golden = JSON.parse(new TextDecoder().decode(read("heads.json"))) as Pick<
    GoldenHeads,
    "sequences" | "derivatives" | "outputs"
  >;
  const head = within("head/");
  return {
    ...golden,
    valueHead: { heads: head.get(VALUE_HEAD.bias)?.shape[0] ?? 0, tensors: head },
    gradients: (output, trains) => within(`${trains}/${output}/`),
  };
}

export function readGoldenDecoder(modelType: (typeof GOLDEN_TYPES)[number]): GoldenDecoder {
  const read = (name: string): Uint8Array => readFileSync(join(FOLDER, modelType, name));
  const json = (name: string): unknown => JSON.parse(new TextDecoder().decode(read(name)));
  const config = parseDecoderConfig(json("config.json"));
  const golden = json("golden.json") as Pick<GoldenDecoder, "cases"> & {
    rank: number;
    alpha: number;
  };
  const isFamily = modelType === "qwen2" || modelType === "smollm3";
  const given = isFamily
    ? (json("gradients.json") as { derivatives: NonNullable<GoldenCase["derivatives"]> })
    : {};
  const { full, lora } = golden.cases;
  const gradients = readSafetensors(read("gradients.safetensors")).tensors;
  return {
    config,
    weights: readSafetensors(read("model.safetensors")).tensors,
    adapter: readAdapter(read("adapter_model.safetensors"), golden, config),
    gradients: (trains) =>
      new Map([...gradients].filter(([name]) => name.includes(".lora_") === (trains === "lora"))),
    cases: { ...golden.cases, full: { ...full, ...given }, lora: { ...lora, ...given } },
  };
}
