/** Random models of the measured sizes. Weights come from a seed; nothing is downloaded. */
import { initializeDecoder, parameterCount } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";

export type BenchModelName =
  | "micro"
  | "nano"
  | "default"
  | "small"
  | "medium"
  | "wide"
  | "large"
  | "long";

const base: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 836,
  width: 128,
  layers: 4,
  heads: 4,
  keyValueHeads: 2,
  headSize: 32,
  feedForwardSize: 256,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 1024,
  ropeScaling: null,
};

/**
 * `micro`: 0.2 M parameters, small enough for a software GPU. `nano`: 0.7 M, the shape of the first
 * `packages/model/nano` with a longer context, kept because targets were set for it. `default`: 3 M, the shape of
 * `packages/model/default`. `small`: 15 M. `medium`: 77 M. `wide`: four layers as wide as Qwen3-0.6B's, 96 M. `large`: its
 * whole shape, 596 M. `long`: for contexts of 6k on a software GPU, whose attention takes a quarter of a second per
 * head and layer there: one layer, two heads.
 */
export const BENCH_CONFIGS: { readonly [name in BenchModelName]: DecoderConfig } = {
  micro: {
    ...base,
    vocabularySize: 512,
    width: 64,
    layers: 3,
    keyValueHeads: 2,
    headSize: 16,
    feedForwardSize: 160,
  },
  nano: base,
  default: {
    ...base,
    vocabularySize: 2048,
    width: 192,
    layers: 6,
    heads: 6,
    keyValueHeads: 6,
    feedForwardSize: 512,
  },
  small: {
    ...base,
    vocabularySize: 8192,
    width: 384,
    layers: 6,
    heads: 6,
    keyValueHeads: 3,
    headSize: 64,
    feedForwardSize: 1280,
  },
  medium: {
    ...base,
    vocabularySize: 32_000,
    width: 640,
    layers: 12,
    heads: 10,
    keyValueHeads: 5,
    headSize: 64,
    feedForwardSize: 1792,
  },
  wide: {
    ...base,
    vocabularySize: 32_000,
    width: 1024,
    heads: 16,
    keyValueHeads: 8,
    headSize: 128,
    feedForwardSize: 3072,
  },
  large: {
    ...base,
    vocabularySize: 151_936,
    width: 1024,
    layers: 28,
    heads: 16,
    keyValueHeads: 8,
    headSize: 128,
    feedForwardSize: 3072,
    ropeTheta: 1_000_000,
  },
  long: {
    ...base,
    vocabularySize: 512,
    width: 64,
    layers: 1,
    heads: 2,
    keyValueHeads: 1,
    headSize: 16,
    feedForwardSize: 160,
    contextLength: 6399,
  },
};

/** Weights whose greedy continuations vary instead of settling on one token. */
export function benchWeights(name: BenchModelName): TensorMap {
  const weights = new Map(initializeDecoder(BENCH_CONFIGS[name], 7));
  for (const [tensor, { shape, data }] of weights) {
    if (shape.length === 1) continue;
    const gain = tensor.includes("embed_tokens") ? 8 : 3;
    weights.set(tensor, { shape, data: data.map((value) => value * gain) });
  }
  return weights;
}

/** A prompt of ids that do not repeat. */
export function benchPrompt(name: BenchModelName, length: number): number[] {
  const { vocabularySize } = BENCH_CONFIGS[name];
  return Array.from({ length }, (_, i) => (i * i * 7 + i * 3 + 5) % vocabularySize);
}

/** Size label for row names, such as `0.7M`. */
export function sizeLabel(name: BenchModelName): string {
  return `${(parameterCount(BENCH_CONFIGS[name]) / 1e6).toPrecision(2)}M`;
}
