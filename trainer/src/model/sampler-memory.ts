/**
 * What samples beside an engine takes of memory, before anything is loaded: an estimate from the number of
 * parameters, of the peak on the CPU. Keys and values are not in it.
 */
import { type DecoderConfig, parameterCount, type ResidentFormat } from "@waggle/model";

/**
 * Weights in float32 that a sampler takes at once: over a base in fewer bits one graph, which ONNX Runtime
 * holds as it was given and packed for products, and what it was made from; with the model in memory
 * another graph with an adapter merged into it.
 */
const COPIES: { readonly [base in ResidentFormat]: number } = { f32: 6, f16: 3, int8: 3, int4: 3 };

/** @param base of the engine beside it. */
export function samplerBytes(config: DecoderConfig, base: ResidentFormat): number {
  return 4 * parameterCount(config) * COPIES[base];
}
