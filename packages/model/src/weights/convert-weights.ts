/**
 * Converts a decoder's parameters to another number format for storage: quantized matrices as their
 * parts, 16-bit floats, or float32. One parameter at a time is in memory. Writes no files.
 */
import { WaggleError } from "@waggle/protocol";
import { decoderParameters, isMatrix } from "../decoder/decoder-parameters.ts";
import type { Parameter } from "../decoder/decoder-parameters.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import type { WeightFormat } from "../weight-format.ts";
import { quantizedBits } from "../graphs/graph-weights.ts";
import { hasOverflowed, toBfloat16Bits, toFloat16Bits } from "./half-precision.ts";
import { emptyQuantizedMatrix, quantizeRows } from "./quantization.ts";
import { elementBytes } from "../files/safetensors-header.ts";
import { elementCount } from "../shape.ts";
import { storedMatrixShapes } from "./stored-format.ts";
import type { TensorDescription, TensorSource } from "../files/tensor-source.ts";
import { readRows } from "./weight-reader.ts";

/** Formats of stored folders. bf16 is for other software; nothing here computes in it. */
export type StoredFormat = WeightFormat | "bf16";

/** Tensors that store one parameter, by name, in the order of their data. */
export type ConvertedParameter = {
  readonly tensors: ReadonlyMap<string, TensorDescription>;
  /** Reads and converts the parameter. Resolves to the bytes of each tensor, in that order. */
  readonly convert: () => Promise<Uint8Array[]>;
};

/**
 * Plans the conversion, parameter by parameter. Scales are float16 numbers, so that they are the
 * same on devices with and without float16.
 *
 * @throws WaggleError from `convert`: `MODEL_CORRUPT` if the weights do not match the config,
 *   `MODEL_UNSUPPORTED` if a number is too large for float16.
 */
export function convertWeights(
  config: DecoderConfig,
  weights: TensorSource,
  format: StoredFormat,
): ConvertedParameter[] {
  return decoderParameters(config).map((parameter) => {
    const bits = format === "bf16" ? null : quantizedBits(format, parameter.kind);
    if (bits !== null) {
      const { values, scales, zeroPoints } = storedMatrixShapes(parameter, bits);
      const tensors = new Map<string, TensorDescription>([
        [values.name, { dtype: "U8", shape: values.shape }],
        [scales.name, { dtype: "F16", shape: scales.shape }],
      ]);
      if (zeroPoints !== null) {
        tensors.set(zeroPoints.name, { dtype: "U8", shape: zeroPoints.shape });
      }
      return {
        tensors,
        convert: async () => {
          const [rows, columns] = parameter.shape as readonly [number, number];
          const matrix = emptyQuantizedMatrix(bits, rows, columns);
          for await (const { begin, data } of readRows(weights, parameter)) {
            quantizeRows(matrix, begin, data, "f16");
          }
          const parts = [matrix.values, toFloat16Bytes(parameter.name, matrix.scales)];
          return matrix.zeroPoints === null ? parts : [...parts, matrix.zeroPoints];
        },
      };
    }
    const half = isMatrix(parameter) ? HALVES.get(format) : undefined;
    const description = { dtype: half ?? "F32", shape: parameter.shape } as const;
    return {
      tensors: new Map([[parameter.name, description]]),
      convert: async () => [await plainBytes(parameter, weights, half)],
    };
  });
}

const HALVES: ReadonlyMap<StoredFormat, "F16" | "BF16"> = new Map([
  ["f16", "F16"],
  ["bf16", "BF16"],
]);

async function plainBytes(
  parameter: Parameter,
  weights: TensorSource,
  half: "F16" | "BF16" | undefined,
): Promise<Uint8Array> {
  const { name, shape } = parameter;
  const bytes = new Uint8Array(elementCount(shape) * elementBytes(half ?? "F32"));
  let at = 0;
  for await (const { data } of readRows(weights, parameter)) {
    const part = toBytes(name, data, half);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function toBytes(name: string, data: Float32Array, half: "F16" | "BF16" | undefined): Uint8Array {
  switch (half) {
    case "F16":
      return toFloat16Bytes(name, data);
    case "BF16":
      return new Uint8Array(toBfloat16Bits(data).buffer);
    case undefined:
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
}

function toFloat16Bytes(name: string, values: Float32Array): Uint8Array {
  const halves = toFloat16Bits(values);
  if (hasOverflowed(halves)) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `${name} has numbers beyond float16's 65504; convert to f32, bf16 or int8`,
    );
  }
  return new Uint8Array(halves.buffer);
}
