import { splitmix32, standardNormal } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { float16ToFloat32, float32ToFloat16 } from "./half-precision.ts";
import { BLOCK_SIZE, dequantizeRows, emptyQuantizedMatrix, quantizeRows } from "./quantization.ts";
import type { QuantizedBits, QuantizedMatrix } from "./quantization.ts";

function quantized(
  bits: QuantizedBits,
  columns: number,
  data: Float32Array,
  scaleType: "f32" | "f16" = "f32",
): QuantizedMatrix {
  const matrix = emptyQuantizedMatrix(bits, data.length / columns, columns);
  quantizeRows(matrix, 0, data, scaleType);
  return matrix;
}

const normals = (length: number): Float32Array => {
  const random = splitmix32(1);
  return Float32Array.from({ length }, () => standardNormal(random));
};

test("a block has the bytes that onnxruntime expects", () => {
  // scale 1, zero point 5: -5 becomes 0 and 10 becomes 15; the lower half of a byte is the first
  // number
  const four = quantized(4, 32, Float32Array.of(-5, 10, 0, 2, ...Array<number>(28).fill(0)));
  expect([...four.scales]).toEqual([1]);
  expect([...four.zeroPoints!]).toEqual([5]);
  expect([...four.values]).toEqual([0xf0, 0x75, ...Array<number>(14).fill(0x55)]);
  // scale 2: 254 is 127 above the middle
  const eight = quantized(8, 32, Float32Array.of(254, -254, 2, ...Array<number>(29).fill(0)));
  expect([...eight.scales]).toEqual([2]);
  expect(eight.zeroPoints).toBeNull();
  expect([...eight.values.subarray(0, 4)]).toEqual([255, 1, 129, 128]);
});

test("two blocks of a row share a byte of zero points, and each row starts a new byte", () => {
  const ramp = (low: number): number[] => Array.from({ length: 32 }, (_, i) => low + (i * 15) / 31);
  const data = Float32Array.of(
    ...ramp(-3),
    ...ramp(-7),
    ...ramp(0),
    ...ramp(-15),
    ...ramp(-1),
    ...ramp(-2),
  );
  const matrix = quantized(4, 96, data);
  expect([...matrix.zeroPoints!]).toEqual([0x73, 0x00, 0x1f, 0x02]);
});

const tensors = fc
  .record({
    rows: fc.integer({ min: 1, max: 3 }),
    columns: fc.integer({ min: 1, max: 100 }),
    bits: fc.constantFrom<QuantizedBits>(4, 8),
    scaleType: fc.constantFrom("f32" as const, "f16" as const),
  })
  .chain((shape) =>
    fc.tuple(
      fc.constant(shape),
      fc.array(fc.float({ min: -100, max: 100, noNaN: true }), {
        minLength: shape.rows * shape.columns,
        maxLength: shape.rows * shape.columns,
      }),
    ),
  );

/** Largest error in scales of its block. Ignores numbers near the smallest float. */
function worstError(matrix: QuantizedMatrix, data: Float32Array): number {
  const { rows, columns, blocks, scales } = matrix;
  let worst = 0;
  for (let row = 0; row < rows; row++) {
    for (const [column, value] of dequantizeRows(matrix, row, row + 1).entries()) {
      const scale = scales[row * blocks + Math.floor(column / BLOCK_SIZE)]!;
      const error = Math.abs(value - data[row * columns + column]!);
      worst = Math.max(worst, error / (scale + 1e-37));
    }
  }
  return worst;
}

test("every number is dequantized within half its block's scale, and zeros stay zero", () => {
  fc.assert(
    fc.property(tensors, ([{ rows, columns, bits, scaleType }, values]) => {
      const data = Float32Array.from(values);
      const matrix = quantized(bits, columns, data, scaleType);
      expect(worstError(matrix, data)).toBeLessThanOrEqual(0.5001);
      const back = Array.from({ length: rows }, (_, row) => [
        ...dequantizeRows(matrix, row, row + 1),
      ]).flat();
      expect(back.filter((value, i) => data[i] === 0 && value !== 0)).toEqual([]);
    }),
  );
});

test("float16 scales are float16 numbers", () => {
  const matrix = quantized(4, 64, normals(64 * 20), "f16");
  const rounded = matrix.scales.map((scale) => float16ToFloat32(float32ToFloat16(scale)));
  expect([...matrix.scales]).toEqual([...rounded]);
});

test("quantizing slices of rows equals quantizing the whole matrix", () => {
  const data = normals(6 * 70);
  const whole = quantized(4, 70, data);
  const sliced = emptyQuantizedMatrix(4, 6, 70);
  quantizeRows(sliced, 4, data.subarray(4 * 70), "f32");
  quantizeRows(sliced, 0, data.subarray(0, 4 * 70), "f32");
  expect(sliced).toEqual(whole);
});

test.each([
  [4, 0.075, 0.085],
  [8, 0.004, 0.006],
] as const)("%d bits keep normal weights to the documented error", (bits, low, high) => {
  const data = normals(200 * 64);
  const matrix = quantized(bits, 64, data);
  let error = 0;
  let square = 0;
  for (let row = 0; row < 200; row++) {
    for (const [column, value] of dequantizeRows(matrix, row, row + 1).entries()) {
      error += (value - data[row * 64 + column]!) ** 2;
      square += data[row * 64 + column]! ** 2;
    }
  }
  expect(Math.sqrt(error / square)).toBeGreaterThan(low);
  expect(Math.sqrt(error / square)).toBeLessThan(high);
});
