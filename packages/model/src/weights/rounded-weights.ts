/**
 * Weights as a graph of a number format computes with them: quantized and back, or rounded to f16. A
 * reference for comparisons with such a graph.
 */
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { decoderParameters } from "../decoder/decoder-parameters.ts";
import type { WeightFormat } from "../weight-format.ts";
import { quantizedBits } from "../graphs/graph-weights.ts";
import { float16ToFloat32, float32ToFloat16 } from "./half-precision.ts";
import type { ResidentFormat } from "./resident-weights.ts";
import { dequantizeRows, emptyQuantizedMatrix, quantizeRows } from "./quantization.ts";

/**
 * @param weights all parameters of `config`, as from `initializeDecoder`.
 * @param activations format of the graph's scales, biases and norms.
 */
export function roundedWeights(
  config: DecoderConfig,
  weights: TensorMap,
  dtype: WeightFormat,
  activations: "f32" | "f16",
): TensorMap {
  const rounded = new Map(weights);
  for (const { name, shape, kind } of decoderParameters(config)) {
    const tensor = weights.get(name);
    if (tensor === undefined) continue;
    const [rows = 1, columns = 1] = shape;
    const bits = quantizedBits(dtype, kind);
    if (bits !== null) {
      const matrix = emptyQuantizedMatrix(bits, rows, columns);
      quantizeRows(matrix, 0, tensor.data, activations);
      rounded.set(name, { shape, data: dequantizeRows(matrix, 0, rows) });
    } else if (activations === "f16") {
      rounded.set(name, halved(tensor));
    }
  }
  return rounded;
}

/**
 * Weights as training over a base of this format computes with them: matrices in f16, or quantized
 * with f16 scales, everything else unchanged.
 */
export function residentNumbers(
  config: DecoderConfig,
  weights: TensorMap,
  format: ResidentFormat,
): TensorMap {
  if (format === "f32") return weights;
  const rounded = roundedWeights(config, weights, format, "f16");
  return new Map(
    Array.from(weights, ([name, tensor]) => [
      name,
      tensor.shape.length > 1 ? (rounded.get(name) ?? tensor) : tensor,
    ]),
  );
}

function halved({ shape, data }: Tensor): Tensor {
  return { shape, data: data.map((value) => float16ToFloat32(float32ToFloat16(value))) };
}
