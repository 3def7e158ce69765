/**
 * Puts a decoder's parameters into a graph in the layouts of its nodes, a slice of rows at a time.
 * Besides the result, at most one slice of a checkpoint is in memory.
 */
import type { Parameter, ParameterKind } from "../decoder/decoder-parameters.ts";
import { decoderParameters } from "../decoder/decoder-parameters.ts";
import { addConstant, isEmbeddingTransposed } from "./graph-parts.ts";
import type { GraphParts } from "./graph-parts.ts";
import type { WeightFormat } from "../weight-format.ts";
import { toFloat16Bits } from "../weights/half-precision.ts";
import { BLOCK_SIZE } from "../weights/quantization.ts";
import type { QuantizedBits } from "../weights/quantization.ts";
import { readQuantizedMatrix } from "../weights/quantized-reader.ts";
import { elementCount } from "../shape.ts";
import type { TensorSource } from "../files/tensor-source.ts";
import { readRows } from "../weights/weight-reader.ts";

/**
 * Constants under the parameters' names. Linears are `[in, out]` for MatMul, or `[out, blocks,
 * bytes]` with `.scales` and `.zero_points`; a convolution has `.tap.{i}` `[C]`.
 * @throws WaggleError `MODEL_CORRUPT` if the weights do not match the config.
 */
export async function addWeights(parts: GraphParts, weights: TensorSource): Promise<void> {
  for (const parameter of decoderParameters(parts.config)) {
    const bits = quantizedBits(parts.weightFormat, parameter.kind);
    if (bits !== null) await addQuantized(parts, weights, parameter, bits);
    else await addPlain(parts, weights, parameter);
  }
}

/** Bits of a quantized matrix, `null` for other parameters. */
export function quantizedBits(
  weightFormat: WeightFormat,
  kind: ParameterKind,
): QuantizedBits | null {
  if (weightFormat !== "int4" && weightFormat !== "int8") return null;
  if (kind === "linear") return weightFormat === "int4" ? 4 : 8;
  // rare tokens and close logits suffer most; llama.cpp's mixtures of formats do the same
  return kind === "embedding" || kind === "head" ? 8 : null;
}

async function addQuantized(
  parts: GraphParts,
  weights: TensorSource,
  parameter: Parameter,
  bits: QuantizedBits,
): Promise<void> {
  const { name } = parameter;
  const matrix = await readQuantizedMatrix(weights, parameter, bits, parts.activations);
  const { rows, blocks, values, scales, zeroPoints } = matrix;
  const { activations } = parts;
  await addConstant(parts, name, "u8", [rows, blocks, (BLOCK_SIZE * bits) / 8], values);
  const stored = activations === "f32" ? scales : toFloat16Bits(scales);
  await addConstant(parts, `${name}.scales`, activations, [rows, blocks], stored);
  if (zeroPoints !== null) {
    const shape = [rows, zeroPoints.length / rows];
    await addConstant(parts, `${name}.zero_points`, "u8", shape, zeroPoints);
  }
}

async function addPlain(
  parts: GraphParts,
  weights: TensorSource,
  parameter: Parameter,
): Promise<void> {
  const { kind, name, shape } = parameter;
  const [rows = 1, columns = 1] = shape;
  // vectors, and matrices of a 32-bit graph
  const dtype = kind === "norm" && !isHeadNorm(parts, name) ? parts.residual : parts.activations;
  const values = new (dtype === "f16" ? Uint16Array : Float32Array)(elementCount(shape));
  const offset = kind === "norm" ? parts.architecture.normOffset : 0;
  const isTransposed =
    kind === "linear" || kind === "head" || (kind === "embedding" && isEmbeddingTransposed(parts));
  for await (const { begin, end, data } of readRows(weights, parameter)) {
    const shifted = offset === 0 ? data : data.map((value) => value + offset);
    const stored = dtype === "f16" ? toFloat16Bits(shifted) : shifted;
    if (isTransposed) transposeRows(values, rows, stored, begin, end);
    else values.set(stored, begin * (values.length / rows));
  }
  if (kind === "kernel") {
    await addTaps(parts, parameter, values);
    return;
  }
  await addConstant(parts, name, dtype, isTransposed ? [columns, rows] : shape, values);
}

/**
 * Writes rows `[end - begin, columns]` as columns of `[columns, rows]`, tile by tile. Going column by
 * column would fetch a cache line for every number.
 */
function transposeRows(
  target: Float32Array | Uint16Array,
  rows: number,
  source: Float32Array | Uint16Array,
  begin: number,
  end: number,
): void {
  const columns = target.length / rows;
  for (let top = begin; top < end; top += TILE) {
    const bottom = Math.min(top + TILE, end);
    for (let left = 0; left < columns; left += TILE) {
      const right = Math.min(left + TILE, columns);
      for (let row = top; row < bottom; row++) {
        const from = (row - begin) * columns;
        for (let column = left; column < right; column++) {
          target[column * rows + row] = source[from + column] as number;
        }
      }
    }
  }
}

/** A float32 tile fits twice into the smallest CPU cache. */
const TILE = 32;

function isHeadNorm({ architecture }: GraphParts, name: string): boolean {
  return architecture.headNorms !== null && name.includes(".self_attn.");
}

/** A convolution's kernel `[C, 1, taps]` as one vector per tap. */
async function addTaps(
  parts: GraphParts,
  { name, shape }: Parameter,
  values: Float32Array | Uint16Array,
): Promise<void> {
  const [channels = 0, , taps = 0] = shape;
  for (let tap = 0; tap < taps; tap++) {
    const column = values.filter((_, i) => i % taps === tap);
    await addConstant(parts, `${name}.tap.${tap}`, parts.activations, [channels], column);
  }
}
