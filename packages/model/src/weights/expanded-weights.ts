/**
 * Dequantized float32 weights, computed as they are read: for devices whose quantized products are
 * slower than float32's. Besides the result, one matrix at a time is in memory.
 */
import { changedSource } from "../files/changed-source.ts";
import { decoderParameters } from "../decoder/decoder-parameters.ts";
import type { Parameter } from "../decoder/decoder-parameters.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { quantizedBits } from "../graphs/graph-weights.ts";
import { dequantizeRows } from "./quantization.ts";
import type { QuantizedBits, QuantizedMatrix } from "./quantization.ts";
import { readQuantizedMatrix } from "./quantized-reader.ts";
import type { TensorSource } from "../files/tensor-source.ts";

type Wanted = { readonly parameter: Parameter; readonly bits: QuantizedBits };

/**
 * The same weights with every matrix quantized to `format` and dequantized; stored quantized
 * matrices are only dequantized.
 * @param scaleType format of the scales of matrices quantized here: that of the graph's activations.
 * Reading throws the same WaggleErrors as reading the quantized matrix.
 */
export function expandedWeights(
  config: DecoderConfig,
  weights: TensorSource,
  format: "int8" | "int4",
  scaleType: "f32" | "f16" = "f32",
): TensorSource {
  const matrices = new Map(
    decoderParameters(config).flatMap((parameter) => {
      const bits = quantizedBits(format, parameter.kind);
      return bits === null ? [] : [[parameter.name, { parameter, bits }] as const];
    }),
  );
  const shapes = new Map([...matrices].map(([name, { parameter }]) => [name, parameter.shape]));
  // Matrices are read one after the other, each in slices of its rows.
  let last: { readonly name: string; readonly matrix: QuantizedMatrix } | null = null;
  return changedSource(weights, shapes, async (name, rows) => {
    const { parameter, bits } = matrices.get(name) as Wanted;
    if (last?.name !== name) {
      last = { name, matrix: await readQuantizedMatrix(weights, parameter, bits, scaleType) };
    }
    const { matrix } = last;
    const { begin, end } = rows ?? { begin: 0, end: matrix.rows };
    // A second reader starts at the first row again.
    if (end === matrix.rows) last = null;
    const shape = [end - begin, matrix.columns];
    return { shape, data: dequantizeRows(matrix, begin, end) };
  });
}
