/** Files of the same random weights for both engines: a model folder of ours, and a GGUF file. Kept for later runs. */
import { existsSync } from "node:fs";
import { mkdir, open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  convertWeights,
  decoderConfigJson,
  quantizationConfigJson,
  safetensorsHeaderBytes,
  tensorMapSource,
} from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { ggufParts } from "../../../test/golden/decoder/gguf.ts";
import { ggufWord } from "../../../test/golden/decoder/gguf-words.ts";
import { BENCH_CONFIGS, benchWeights } from "./bench-models.ts";
import type { BenchModelName } from "./bench-models.ts";

export type PeerFormat = "f32" | "int8" | "int4";

export const GGML_TYPES = { f32: "f32", int8: "q8_0", int4: "q4_0" } as const;

/** Part of the path, to be counted up when the files' content changes. */
const EDITION = 1;
const ROOT = join(
  import.meta.dirname,
  `../../../node_modules/.cache/waggle/versus-wllama-${EDITION}`,
);

/** The folder of a model, with `model.gguf` for wllama beside our files. */
export function peerFolder(name: BenchModelName, format: PeerFormat): string {
  return join(ROOT, `${name}-${format}`);
}

/** Makes the files that are missing. Weights of several formats are drawn once. */
export async function makePeerFiles(
  name: BenchModelName,
  formats: readonly PeerFormat[],
  report: (line: string) => void,
): Promise<void> {
  const missing = formats.filter(
    (format) => !existsSync(join(peerFolder(name, format), "config.json")),
  );
  if (missing.length === 0) return;
  report(`writing ${name} in ${missing.join(", ")}`);
  const config = BENCH_CONFIGS[name];
  const weights = benchWeights(name);
  for (const format of missing) await makeFolder(peerFolder(name, format), config, weights, format);
}

async function makeFolder(
  folder: string,
  config: DecoderConfig,
  weights: TensorMap,
  format: PeerFormat,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const gguf = ggufParts(config, weights, GGML_TYPES[format]);
  await writeParts(join(folder, "model.gguf"), gguf);
  const parameters = convertWeights(config, tensorMapSource(weights), format);
  const tensors = new Map(parameters.flatMap((parameter) => [...parameter.tensors]));
  await writeParts(
    join(folder, "model.safetensors"),
    (async function* () {
      yield safetensorsHeaderBytes(tensors, { format: "pt" });
      for (const { convert } of parameters) yield* await convert();
    })(),
  );
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizerJson(config)));
  // Last, because it marks a folder that is complete.
  const quantization =
    format === "f32" ? {} : { quantization_config: quantizationConfigJson(format) };
  const json = { ...decoderConfigJson(config), ...quantization };
  await writeFile(join(folder, "config.json"), JSON.stringify(json));
}

/** The words of the GGUF file, so that both engines load a vocabulary. */
function tokenizerJson({ vocabularySize }: DecoderConfig): object {
  const vocab = Object.fromEntries(
    Array.from({ length: vocabularySize }, (_, id) => [ggufWord(id).replace(" ", "Ġ"), id]),
  );
  return { added_tokens: [], model: { type: "BPE", vocab, merges: [] } };
}

async function writeParts(
  path: string,
  parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await open(`${path}.partial`, "w");
  try {
    for await (const part of parts) await file.writeFile(part);
  } finally {
    await file.close();
  }
  await rename(`${path}.partial`, path);
}
