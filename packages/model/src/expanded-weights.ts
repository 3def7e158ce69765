/**
 * Weights as the float32 numbers that their quantized form stands for, made when they are read: for
 * graphs of devices whose quantized products are slower than float32's. One matrix at a time is in
 * memory beside the result.
 */
import { decoderParameters } from "./decoder-parameters.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { quantizedBits } from "./graph-weights.ts";
import { dequantizeRows } from "./quantization.ts";
import type { QuantizedMatrix } from "./quantization.ts";
import { readQuantizedMatrix } from "./quantized-reader.ts";
import type { TensorDescription, TensorSource } from "./tensor-source.ts";

/**
 * The same weights with every matrix of `format` as numbers; what it stores quantized, too.
 * @param scaleType of what is quantized here: as a graph of `activations` in it has the scales.
 * Reading throws WaggleError as reading the quantized matrix does.
 */
export function expandedWeights(
  config: DecoderConfig,
  weights: TensorSource,
  format: "int8" | "int4",
  scaleType: "f32" | "f16" = "f32",
): TensorSource {
  const tensors = new Map<string, TensorDescription>(weights.tensors);
  const matrices = new Map(
    decoderParameters(config).flatMap((parameter) => {
      const bits = quantizedBits(format, parameter.kind);
      return bits === null ? [] : [[parameter.name, { parameter, bits }] as const];
    }),
  );
  for (const [name, { parameter }] of matrices) {
    tensors.set(name, { dtype: "F32", shape: parameter.shape });
  }
  // Matrices are read one after the other, each in slices of its rows.
  let last: { readonly name: string; readonly matrix: QuantizedMatrix } | null = null;
  const read: TensorSource["read"] = async (name, rows) => {
    const wanted = matrices.get(name);
    if (wanted === undefined) return weights.read(name, rows);
    const { parameter, bits } = wanted;
    if (last?.name !== name) {
      last = { name, matrix: await readQuantizedMatrix(weights, parameter, bits, scaleType) };
    }
    const { matrix } = last;
    const { begin, end } = rows ?? { begin: 0, end: matrix.rows };
    // Whoever reads it again begins at its first row.
    if (end === matrix.rows) last = null;
    const shape = [end - begin, matrix.columns];
    return { shape, data: dequantizeRows(matrix, begin, end) };
  };
  return {
    tensors,
    read,
    readBytes: async (name, rows) => {
      if (!matrices.has(name)) return weights.readBytes(name, rows);
      const { data } = await read(name, rows);
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    },
  };
}
