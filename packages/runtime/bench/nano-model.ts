/** The repository's trained base model, for measurements where random weights will not do. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDecoderConfig, readSafetensors, selectDecoderWeights } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";

const FOLDER = join(import.meta.dirname, "../../model/nano");

export type NanoModel = {
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  readonly tokenizerFiles: ReadonlyMap<string, Uint8Array>;
};

/** @param contextLength - positions of its rotary tables; it was trained on 512. */
export function readNanoModel(contextLength: number): NanoModel {
  const read = (name: string): Uint8Array => readFileSync(join(FOLDER, name));
  const parsed = parseDecoderConfig(JSON.parse(new TextDecoder().decode(read("config.json"))));
  const config = { ...parsed, contextLength };
  const { tensors } = readSafetensors(read("model.safetensors"));
  const names = ["tokenizer.json", "tokenizer_config.json", "generation_config.json"];
  return {
    config,
    weights: selectDecoderWeights(config, tensors),
    tokenizerFiles: new Map(names.map((name) => [name, read(name)])),
  };
}
