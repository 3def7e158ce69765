/**
 * Estimates the peak CPU memory of a sampler beside an engine from the number of parameters, before
 * anything is loaded. Keys and values are not included.
 */
import { type DecoderConfig, parameterCount, type ResidentFormat } from "@waggle/model";

/**
 * Float32 copies of the weights that a sampler needs at its peak. Over a quantized base: one graph, in
 * ONNX Runtime's original and packed form, and its source. With the model in memory: in addition, a
 * second graph with a merged adapter.
 */
const COPIES: { readonly [base in ResidentFormat]: number } = { f32: 6, f16: 3, int8: 3, int4: 3 };

/**
 * Peak memory in bytes.
 * @param base - number format of the engine beside it.
 */
export function samplerBytes(config: DecoderConfig, base: ResidentFormat): number {
  return 4 * parameterCount(config) * COPIES[base];
}
