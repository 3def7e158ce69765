/**
 * Quantized weights as `convertWeights` stores them in a folder: their format, and how to read them
 * without quantizing again.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import { unsupported } from "../decoder/config-member.ts";
import type { Json } from "../decoder/config-member.ts";
import type { ParameterShape } from "../parameter-shape.ts";
import type { WeightFormat } from "../weight-format.ts";
import { BLOCK_SIZE } from "./quantization.ts";
import type { QuantizedBits, QuantizedMatrix } from "./quantization.ts";
import { sameShape } from "../shape.ts";
import type { RowRange, TensorSource } from "../files/tensor-source.ts";

/** `quant_method` of these formats in config.json. */
const METHOD = "waggle";

/** The member `quantization_config` of a config.json for weights stored in a format. */
export function quantizationConfigJson(format: "int8" | "int4"): Json {
  return { quant_method: METHOD, format, block_size: BLOCK_SIZE };
}

/**
 * The format of a folder's stored matrices; `null` for plain numbers, which run in any format.
 * @param json - a parsed config.json.
 * @throws WaggleError `MODEL_UNSUPPORTED` for another project's quantization.
 */
export function parseStoredFormat(json: unknown): WeightFormat | null {
  const stored = isObject(json) ? (json["quantization_config"] ?? null) : null;
  if (stored === null) return null;
  if (
    isObject(stored) &&
    stored["quant_method"] === METHOD &&
    stored["block_size"] === BLOCK_SIZE
  ) {
    const { format } = stored;
    if (format === "int8" || format === "int4") return format;
  }
  throw unsupported("quantization_config", `be absent or of the method ${METHOD}`, stored);
}

/** Names and shapes of the tensors that store a quantized matrix `[rows, columns]`. */
export function storedMatrixShapes(
  { name, shape }: ParameterShape,
  bits: QuantizedBits,
): {
  readonly values: ParameterShape;
  readonly scales: ParameterShape;
  readonly zeroPoints: ParameterShape | null;
} {
  const [rows = 1, columns = 1] = shape;
  const blocks = Math.ceil(columns / BLOCK_SIZE);
  return {
    values: { name, shape: [rows, blocks, (BLOCK_SIZE * bits) / 8] },
    scales: { name: `${name}.scales`, shape: [rows, blocks] },
    zeroPoints:
      bits === 8 ? null : { name: `${name}.zero_points`, shape: [rows, Math.ceil(blocks / 2)] },
  };
}

/**
 * Rows of a matrix stored quantized, by default all; `null` if it is stored as plain numbers.
 * @throws WaggleError `MODEL_UNSUPPORTED` if it is stored in other bits, `MODEL_CORRUPT` if a part is
 *   missing or has another shape.
 */
export async function readStoredMatrix(
  weights: TensorSource,
  parameter: ParameterShape,
  bits: QuantizedBits,
  range?: RowRange,
): Promise<QuantizedMatrix | null> {
  const { values, scales, zeroPoints } = storedMatrixShapes(parameter, bits);
  if (weights.tensors.get(values.name)?.dtype !== "U8") return null;
  if (!sameShape(weights.tensors.get(values.name)?.shape ?? [], values.shape)) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `${values.name} is not stored in ${bits} bits: its shape is [${weights.tensors.get(values.name)?.shape.join(", ")}]; use the format named in config.json`,
    );
  }
  for (const part of [scales, zeroPoints]) {
    if (part !== null && !sameShape(weights.tensors.get(part.name)?.shape ?? [], part.shape)) {
      throw new WaggleError(
        "MODEL_CORRUPT",
        `${part.name} must have shape [${part.shape.join(", ")}]; convert the model again`,
      );
    }
  }
  const [rows = 1, columns = 1] = parameter.shape;
  return {
    bits,
    rows: range === undefined ? rows : range.end - range.begin,
    columns,
    blocks: scales.shape[1] as number,
    values: await weights.readBytes(values.name, range),
    scales: (await weights.read(scales.name, range)).data,
    zeroPoints: zeroPoints === null ? null : await weights.readBytes(zeroPoints.name, range),
  };
}
