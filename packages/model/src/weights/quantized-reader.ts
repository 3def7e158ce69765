/** Reads matrices from a checkpoint in blocks of 4 or 8 bits. */
import type { ParameterShape } from "../parameter-shape.ts";
import { emptyQuantizedMatrix, quantizeRows } from "./quantization.ts";
import type { QuantizedBits, QuantizedMatrix } from "./quantization.ts";
import { readStoredMatrix } from "./stored-format.ts";
import type { TensorSource } from "../files/tensor-source.ts";
import { readRange, readRows } from "./weight-reader.ts";

/**
 * A matrix as stored if it is quantized; otherwise quantized a slice of rows at a time.
 * @throws WaggleError `MODEL_CORRUPT` if it has another shape or is not finite.
 */
export async function readQuantizedMatrix(
  weights: TensorSource,
  { name, shape }: ParameterShape,
  bits: QuantizedBits,
  scaleType: "f32" | "f16",
): Promise<QuantizedMatrix> {
  const stored = await readStoredMatrix(weights, { name, shape }, bits);
  if (stored !== null) return stored;
  const [rows, columns] = shape as readonly [number, number];
  const matrix = emptyQuantizedMatrix(bits, rows, columns);
  for await (const { begin, data } of readRows(weights, { name, shape })) {
    quantizeRows(matrix, begin, data, scaleType);
  }
  return matrix;
}

/** Numbers of one slice: 4 MB in 8 bits. */
const SLICE_ELEMENTS = 4 * 1024 * 1024;

/** Rows of a quantized matrix, from row `begin` on. */
type QuantizedSlice = { readonly begin: number; readonly matrix: QuantizedMatrix };

/**
 * The rows of a matrix in order, in slices of a multiple of 4 rows; at most one is in memory.
 * Matrices that are not stored quantized are quantized with float32 scales.
 * @throws WaggleError `MODEL_CORRUPT` if it has another shape or is not finite.
 */
export async function* readQuantizedSlices(
  weights: TensorSource,
  { name, shape }: ParameterShape,
  bits: QuantizedBits,
): AsyncGenerator<QuantizedSlice> {
  const [rows, columns] = shape as readonly [number, number];
  const step = 4 * Math.max(1, Math.floor(SLICE_ELEMENTS / columns / 4));
  for (let begin = 0; begin < rows; begin += step) {
    const end = Math.min(rows, begin + step);
    const stored = await readStoredMatrix(weights, { name, shape }, bits, { begin, end });
    if (stored !== null) yield { begin, matrix: stored };
    else {
      const matrix = emptyQuantizedMatrix(bits, end - begin, columns);
      quantizeRows(matrix, 0, await readRange(weights, { name, shape }, { begin, end }), "f32");
      yield { begin, matrix };
    }
  }
}
