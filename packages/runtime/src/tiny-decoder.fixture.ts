/** Tiny random decoders. Tests only. */
import {
  convertWeights,
  decoderConfigJson,
  initializeAdapter,
  initializeDecoder,
  quantizationConfigJson,
  safetensorsHeaderBytes,
  tensorMapSource,
  writeSafetensors,
} from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { QWEN3 } from "./agreement/agreement-models.ts";

export const TINY_CONFIG: DecoderConfig = { ...QWEN3, feedForwardSize: 48, contextLength: 160 };

export const TINY_BASE_MODEL: string = "7".repeat(64);

/** Random weights, scaled so that the distributions are far from uniform. */
export function tinyWeights(seed = 1): TensorMap {
  const weights = new Map(initializeDecoder(TINY_CONFIG, seed));
  for (const [name, { shape, data }] of weights) {
    const factor = name.includes("norm") ? 1 : name.includes("embed") ? 12 : 6;
    weights.set(name, { shape, data: data.map((value) => value * factor) });
  }
  return weights;
}

/** An adapter that changes every linear. */
export function tinyAdapter(seed: number, rank = 4): Adapter {
  const adapter = initializeAdapter(TINY_CONFIG, { rank, alpha: 8, seed });
  const tensors = new Map(adapter.tensors);
  for (const [name, { shape, data }] of tensors) {
    if (!name.includes("lora_B")) continue;
    tensors.set(name, {
      shape,
      data: data.map((_, index) => 0.15 * Math.sin(index * 12.9898 + seed * 78.233)),
    });
  }
  return { ...adapter, tensors };
}

/** A prompt of `length` ids that is not periodic. */
export function tinyPrompt(length: number, seed = 0): number[] {
  return Array.from({ length }, (_, i) => (i * i * 7 + i * 3 + seed * 11 + 5) % 97);
}

/** The files of the tiny decoder, as a page loads them; optionally with more positions. */
export function tinyModelFiles(
  seed = 1,
  contextLength = TINY_CONFIG.contextLength,
): Map<string, Uint8Array> {
  const config = decoderConfigJson({ ...TINY_CONFIG, contextLength });
  return new Map([
    ["config.json", new TextEncoder().encode(JSON.stringify(config))],
    ["model.safetensors", writeSafetensors(tinyWeights(seed), { format: "pt" })],
  ]);
}

/** The files of the tiny decoder as `convertModel` writes them. */
export async function tinyQuantizedFiles(
  format: "int8" | "int4",
): Promise<Map<string, Uint8Array>> {
  const parameters = convertWeights(TINY_CONFIG, tensorMapSource(tinyWeights()), format);
  const parts = [
    safetensorsHeaderBytes(new Map(parameters.flatMap(({ tensors }) => [...tensors]))),
    ...(await Promise.all(parameters.map(({ convert }) => convert()))).flat(),
  ];
  const weights = new Blob(parts as Uint8Array<ArrayBuffer>[]);
  const config = {
    ...decoderConfigJson(TINY_CONFIG),
    quantization_config: quantizationConfigJson(format),
  };
  return new Map([
    ["config.json", new TextEncoder().encode(JSON.stringify(config))],
    ["model.safetensors", new Uint8Array(await weights.arrayBuffer())],
  ]);
}
