/** Tiny random decoders and adapters whose every part affects the logits. */
import { initializeAdapter, initializeDecoder } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { type TensorMap, seededRandom } from "@waggle/protocol";

/** Standard deviation of the embedding and of other matrices, relative to a fresh decoder's 0.02. */
const EMBEDDING_GAIN = 10;
const MATRIX_GAIN = 6;

/** Weights whose distributions are far from uniform and differ at every position. */
export function randomDecoderWeights(config: DecoderConfig, seed: number): TensorMap {
  const weights = new Map(initializeDecoder(config, seed));
  for (const [name, { shape, data }] of weights) {
    if (shape.length === 1) {
      weights.set(name, { shape, data: data.map((value, i) => value + 0.3 * Math.sin(i + seed)) });
    } else {
      const gain = name.includes("embed_tokens") ? EMBEDDING_GAIN : MATRIX_GAIN;
      weights.set(name, { shape, data: data.map((value) => value * gain) });
    }
  }
  return weights;
}

/** An adapter that changes every linear by about its own size. */
export function randomAdapter(config: DecoderConfig, rank: number, seed: number): Adapter {
  const adapter = initializeAdapter(config, { rank, alpha: 2 * rank, seed });
  const tensors = new Map(adapter.tensors);
  for (const [name, { shape, data }] of tensors) {
    if (!name.includes("lora_B")) continue;
    tensors.set(name, { shape, data: data.map((_, i) => 0.12 * Math.sin(i * 12.9898 + seed)) });
  }
  return { ...adapter, tensors };
}

/** Ids without a period. */
export function randomTokenIds(vocabularySize: number, length: number, seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length }, () => Math.floor(random() * vocabularySize));
}
