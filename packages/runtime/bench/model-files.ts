/** Model folders that the bench server creates on request under `/bench-models/<name>/`. */
import {
  HUGGINGFACE_INPUTS,
  buildDecoderGraph,
  decoderConfigJson,
  emptySink,
  joinProducts,
  writeSafetensors,
} from "@waggle/model";
import { BENCH_CONFIGS, benchWeights } from "./bench-models.ts";
import type { BenchModelName } from "./bench-models.ts";

const cache = new Map<string, Uint8Array>();

/**
 * - `config.json`, `model.safetensors`: as our runtime loads a model;
 * - `onnx/model.onnx`, `generation_config.json`: as Transformers.js does, without a stop token.
 *
 * @param path - `<name>/<file>`. @returns `null` if there is no such file.
 */
export async function modelFile(path: string): Promise<Uint8Array | null> {
  const known = cache.get(path);
  if (known !== undefined) return known;
  const [name = "", ...rest] = path.split("/");
  if (!(name in BENCH_CONFIGS)) return null;
  const file = await make(name as BenchModelName, rest.join("/"));
  if (file !== null) cache.set(path, file);
  return file;
}

async function make(name: BenchModelName, file: string): Promise<Uint8Array | null> {
  const config = BENCH_CONFIGS[name];
  const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  switch (file) {
    case "config.json":
      return json(decoderConfigJson(config));
    case "generation_config.json":
      return json({});
    case "model.safetensors":
      return writeSafetensors(benchWeights(name), { format: "pt" });
    case "onnx/model.onnx": {
      const options = {
        lora: null,
        maxPositions: config.contextLength,
        inputs: HUGGINGFACE_INPUTS,
        sink: emptySink,
        arrange: joinProducts,
      } as const;
      return (await buildDecoderGraph(config, benchWeights(name), options)).model;
    }
    default:
      return null;
  }
}
