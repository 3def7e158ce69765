/**
 * A matrix of a frozen or trained base as a graph input: float32, float16, or blocks of 8 or 4 bits
 * that the graph converts to float32 right before the product, so that no float32 copy outlives a
 * layer.
 */
import { BLOCK_SIZE, dequantizeRows, fromFloat16Bits, unpackedZeroPoints } from "@waggle/model";
import type { OnnxGraphBuilder, ResidentFormat, ResidentWeight } from "@waggle/model";
import type { MatrixProducts } from "./matrix-products.ts";
import type { AnyTensor } from "../onnx-tensor.ts";

export type Feed = AnyTensor;

/** One input array, with the same number of elements for each row of the matrix. */
type Part = {
  readonly suffix: string;
  readonly rowSize: number;
  readonly data: Float32Array | Uint16Array | Uint8Array;
};

export type GraphMatrix = {
  readonly format: ResidentFormat;
  readonly rows: number;
  readonly columns: number;
  readonly parts: readonly Part[];
  /** Rows `begin` to `end` as float32; a view if they are stored so. */
  readonly read: (begin: number, end: number) => Float32Array;
};

/**
 * @param weight a matrix `[rows, columns]`.
 * @param wide whether to feed 4-bit numbers as bytes, for a device that cannot unpack them.
 */
export function graphMatrix(weight: ResidentWeight, wide: boolean = false): GraphMatrix {
  if (!("bits" in weight)) {
    const [rows = 1, columns = 1] = weight.shape;
    const { data } = weight;
    return {
      format: "f32",
      rows,
      columns,
      parts: [{ suffix: "", rowSize: columns, data }],
      read: (begin, end) => data.subarray(begin * columns, end * columns),
    };
  }
  if (weight.bits === 16) {
    const { rows, columns, values } = weight;
    return {
      format: "f16",
      rows,
      columns,
      parts: [{ suffix: "", rowSize: columns, data: values }],
      read: (begin, end) => fromFloat16Bits(values.subarray(begin * columns, end * columns)),
    };
  }
  const { bits, rows, columns, blocks, values, scales } = weight;
  const isPacked = bits === 4 && !wide;
  const stored = bits === 4 && wide ? unpackedNibbles(values) : values;
  return {
    format: isPacked ? "int4" : "int8",
    rows,
    columns,
    parts: [
      { suffix: "", rowSize: (blocks * BLOCK_SIZE) / (isPacked ? 2 : 1), data: stored },
      { suffix: ".scales", rowSize: blocks, data: scales },
      { suffix: ".zeroPoints", rowSize: blocks, data: unpackedZeroPoints(weight) },
    ],
    read: (begin, end) => dequantizeRows(weight, begin, end),
  };
}

/** Feeds for rows `begin` to `end` under `name`, without a copy. */
export function matrixFeeds(
  name: string,
  { parts, rows }: GraphMatrix,
  begin: number = 0,
  end: number = rows,
): (readonly [string, Feed])[] {
  return parts.map(({ suffix, rowSize, data }) => {
    const shape = [end - begin, rowSize];
    const [from, to] = [begin * rowSize, end * rowSize];
    return [name + suffix, { shape, data: data.subarray(from, to) } as Feed];
  });
}

/**
 * Declares the inputs of a matrix.
 * @param rows a number, or the name of a size known only when the graph runs.
 * @param products take the matrix, possibly in float16 without conversion.
 * @returns the name of the float32 matrix `[rows, columns]`.
 */
export function declareMatrix(
  builder: OnnxGraphBuilder,
  name: string,
  shape: { readonly rows: number | string; readonly columns: number },
  format: ResidentFormat,
  products: MatrixProducts,
): string {
  const { rows, columns } = shape;
  if (format === "f32") return builder.input(name, "f32", [rows, columns]);
  if (format === "f16") {
    const half = builder.input(name, "f16", [rows, columns]);
    const whole = builder.op("Cast", [half], { attributes: { to: 1 } });
    products.hold(whole, half);
    return whole;
  }
  const blocks = Math.ceil(columns / BLOCK_SIZE);
  const padded = blocks * BLOCK_SIZE;
  const bytes = format === "int8" ? padded : padded / 2;
  const stored = builder.input(name, "u8", [rows, bytes]);
  const scales = builder.input(`${name}.scales`, "f32", [rows, blocks]);
  const zeroPoints = builder.input(`${name}.zeroPoints`, "u8", [rows, blocks]);
  const values = format === "int8" ? stored : unpackNibbles(builder, stored, padded);
  const whole = builder.op("DequantizeLinear", [values, scales, zeroPoints], {
    attributes: { axis: 1, block_size: BLOCK_SIZE },
  });
  if (padded === columns) return whole;
  const axis = builder.ints([1]);
  return builder.op("Slice", [whole, builder.ints([0]), builder.ints([columns]), axis]);
}

/** One byte for each 4-bit number, the lower half of a byte first. */
function unpackedNibbles(bytes: Uint8Array): Uint8Array {
  const numbers = new Uint8Array(2 * bytes.length);
  bytes.forEach((byte, place) => {
    numbers[2 * place] = byte & 15;
    numbers[2 * place + 1] = byte >> 4;
  });
  return numbers;
}

/** From `[rows, columns / 2]` bytes to `[rows, columns]` numbers, the lower half of a byte first. */
function unpackNibbles(builder: OnnxGraphBuilder, bytes: string, columns: number): string {
  const constant = (value: number): string =>
    builder.initializer(`${bytes}.u8.${value}`, "u8", [], Uint8Array.of(value));
  const low = builder.op("BitwiseAnd", [bytes, constant(15)]);
  const high = builder.op("BitShift", [bytes, constant(4)], {
    attributes: { direction: { string: "RIGHT" } },
  });
  const last = builder.ints([2]);
  const pairs = builder.op(
    "Concat",
    [builder.op("Unsqueeze", [low, last]), builder.op("Unsqueeze", [high, last])],
    { attributes: { axis: 2 } },
  );
  return builder.op("Reshape", [pairs, builder.ints([-1, columns])]);
}
