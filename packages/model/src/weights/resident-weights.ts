/**
 * A decoder's parameters as an engine keeps them in memory: matrices in float32, float16 or
 * quantized, everything else as float32. Besides the result, at most one slice of a checkpoint is
 * in memory. The layout of a graph's constants differs (`graph-weights.ts`).
 */
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { decoderParameters, isMatrix } from "../decoder/decoder-parameters.ts";
import type { Parameter } from "../decoder/decoder-parameters.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { quantizedBits } from "../graphs/graph-weights.ts";
import { hasOverflowed, toFloat16Bits } from "./half-precision.ts";
import type { QuantizedMatrix } from "./quantization.ts";
import { readQuantizedMatrix } from "./quantized-reader.ts";
import type { TensorSource } from "../files/tensor-source.ts";
import { checkFinite, checkShape, findStored, readRows } from "./weight-reader.ts";

/** Number format of the matrices. With `int4`, embedding and logits' matrix have 8 bits. */
export type ResidentFormat = "f32" | "f16" | "int8" | "int4";

/** A matrix `[rows, columns]` in float16, as its bits. */
type HalfMatrix = {
  readonly bits: 16;
  readonly rows: number;
  readonly columns: number;
  readonly values: Uint16Array;
};

/** Matrices that are not float32 have `bits`. */
export type ResidentWeight = Tensor | HalfMatrix | QuantizedMatrix;

/**
 * All parameters, in the order of `decoderParameters`. Scales are float16 numbers, as in published
 * models, so that training and inference use the same weights.
 * @throws WaggleError `MODEL_CORRUPT` if one is missing, has another shape or is not finite,
 *   `MODEL_UNSUPPORTED` if a number of a matrix is too large for float16.
 */
export async function readResidentWeights(
  config: DecoderConfig,
  weights: TensorSource,
  format: ResidentFormat,
): Promise<ReadonlyMap<string, ResidentWeight>> {
  const resident = new Map<string, ResidentWeight>();
  for (const parameter of decoderParameters(config)) {
    const bits = quantizedBits(format, parameter.kind);
    const weight =
      bits !== null
        ? await readQuantizedMatrix(weights, parameter, bits, "f16")
        : format === "f16" && isMatrix(parameter)
          ? await readHalfMatrix(weights, parameter)
          : await readWhole(weights, parameter);
    resident.set(parameter.name, weight);
  }
  return resident;
}

/**
 * All parameters as float32. Other tensors of the checkpoint are not read.
 * @throws WaggleError `MODEL_CORRUPT` if one is missing, has another shape or is not finite.
 */
export async function readDecoderWeights(
  config: DecoderConfig,
  weights: TensorSource,
): Promise<TensorMap> {
  const tensors = new Map<string, Tensor>();
  for (const parameter of decoderParameters(config)) {
    tensors.set(parameter.name, await readWhole(weights, parameter));
  }
  return tensors;
}

async function readHalfMatrix(weights: TensorSource, parameter: Parameter): Promise<HalfMatrix> {
  const { name, shape } = parameter;
  const [rows, columns] = shape as readonly [number, number];
  const values = new Uint16Array(rows * columns);
  for await (const { begin, data } of readRows(weights, parameter)) {
    values.set(toFloat16Bits(data), begin * columns);
  }
  if (hasOverflowed(values)) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `${name} has numbers beyond float16's 65504; keep the base in f32 or int8`,
    );
  }
  return { bits: 16, rows, columns, values };
}

async function readWhole(weights: TensorSource, { name, shape }: Parameter): Promise<Tensor> {
  const stored = findStored(weights.tensors, name);
  checkShape(name, shape, weights.tensors.get(stored));
  const tensor = await weights.read(stored);
  checkFinite(name, tensor.data);
  return tensor;
}
