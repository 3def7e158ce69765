/** Reads matrices from a checkpoint in blocks of 4 or 8 bits. */
import type { ParameterShape } from "../parameter-shape.ts";
import { emptyQuantizedMatrix, quantizeRows } from "./quantization.ts";
import type { QuantizedBits, QuantizedMatrix } from "./quantization.ts";
import { readStoredMatrix } from "./stored-format.ts";
import type { TensorSource } from "../files/tensor-source.ts";
import { readRows } from "./weight-reader.ts";

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
