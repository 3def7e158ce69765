/** The kernels against the same products in plain loops. */
import { dequantizeRows, readQuantizedSlices, tensorMapSource } from "@waggle/model";
import type { QuantizedMatrix } from "@waggle/model";
import { seededRandom } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { startKernels } from "./kernels.ts";
import type { Kernels } from "./kernels.ts";
import { TILE_ROWS, tilesBytes, writeTiles } from "./quantized-tiles.ts";
import { splitVector } from "./split-vector.ts";

const BLOCK = 32;

describe.each([
  ["relaxed", true],
  ["exact", false],
])("kernels with %s sums", (_, isRelaxed) => {
  describe.each([8, 4] as const)("of %s bits", (bits) => {
    test.each([
      ["one block", 4, 32],
      ["rows that fill no tile", 7, 64],
      ["columns that fill no block", 9, 40],
      ["an odd number of blocks", 5, 96],
      ["the widest rows", 4, 4096],
    ])("multiply and expand: %s", async (_, rows, columns) => {
      const matrix = await quantized(bits, numbers(rows * columns, 1), columns);
      const { product, expanded } = run(startKernels(isRelaxed), matrix, numbers(columns, 2));
      const plain = dequantizeRows(matrix, 0, rows);
      expect(expanded).toEqual(plain);
      expectProduct(product, plain, numbers(columns, 2));
    });

    test.each([
      ["zeros in the matrix", () => 0, (i: number) => i - 20],
      ["zeros in the vector", (i: number) => i - 20, () => 0],
      ["one block of zeros", (i: number) => (i % 64 < 32 ? 0 : i), (i: number) => i],
      ["one outlier", () => 1, (i: number) => (i === 3 ? 1e6 : 1e-2)],
      ["numbers at both ends", (i: number) => (i % 2 === 0 ? 3e4 : -3e4), (i: number) => (-1) ** i],
      ["tiny numbers", () => 1e-30, () => 1e-6],
    ])("multiply: %s", async (_, weight, value) => {
      const matrix = await quantized(
        bits,
        Float32Array.from({ length: 256 }, (__, i) => weight(i)),
        64,
      );
      const x = Float32Array.from({ length: 64 }, (__, i) => value(i));
      const { product } = run(startKernels(isRelaxed), matrix, x);
      expectProduct(product, dequantizeRows(matrix, 0, 4), x);
    });

    test.each([Number.NaN, Infinity, -Infinity])("multiply: %s in the vector", async (bad) => {
      const matrix = await quantized(bits, numbers(128, 1), 32);
      const { product } = run(startKernels(isRelaxed), matrix, numbers(32, 2).fill(bad, 5, 6));
      expect([...product].every(Number.isNaN)).toBe(true);
    });
  });

  test.each([
    ["multiply4x2", 4, 2, 8],
    ["multiply4x2", 8, 6, 40],
    ["multiply1x4", 1, 4, 8],
    ["multiply1x4", 3, 8, 128],
  ] as const)("%s: %s tokens, %s rows of %s", (name, tokens, rows, columns) => {
    const kernels = startKernels(isRelaxed);
    const memory = new Float32Array(kernels.memory.buffer);
    const [x, w, stride] = [numbers(tokens * columns, 3), numbers(rows * columns, 4), rows + 3];
    memory.set(x, 0);
    memory.set(w, x.length);
    const y = x.length + w.length;
    const [tileTokens, tileRows] = name === "multiply4x2" ? [4, 2] : [1, 4];
    kernels[name](
      0,
      4 * columns,
      4 * x.length,
      4 * columns,
      4 * y,
      4 * stride,
      columns / 8,
      tokens / tileTokens,
      rows / tileRows,
    );
    for (let token = 0; token < tokens; token++) {
      const vector = x.subarray(token * columns, (token + 1) * columns);
      const from = y + token * stride;
      expectProduct(memory.slice(from, from + rows), w, vector);
    }
  });

  test.each([
    [1, 16],
    [5, 48],
  ])("addRows: %s rows of %s", (count, columns) => {
    const kernels = startKernels(isRelaxed);
    const memory = new Float32Array(kernels.memory.buffer);
    const [factors, rows, before] = [
      numbers(count, 5),
      numbers(count * columns, 6),
      numbers(columns, 7),
    ];
    memory.set(before, 0);
    memory.set(factors, 100);
    memory.set(rows, 200);
    kernels.addRows(400, 800, 4 * columns, 0, count, columns / 16);
    const sums = before.map((value, i) =>
      factors.reduce(
        (sum, factor, row) => sum + factor * (rows[row * columns + i] as number),
        value,
      ),
    );
    for (const [i, sum] of sums.entries()) expect(memory[i]).toBeCloseTo(sum, 5);
  });
});

/** Numbers in [−1, 1). */
function numbers(count: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: count }, () => 2 * random() - 1);
}

async function quantized(
  bits: 4 | 8,
  data: Float32Array,
  columns: number,
): Promise<QuantizedMatrix> {
  const shape = [data.length / columns, columns];
  const source = tensorMapSource(new Map([["w", { shape, data }]]));
  for await (const { matrix } of readQuantizedSlices(source, { name: "w", shape }, bits))
    return matrix;
  throw new Error("no rows");
}

function run(
  kernels: Kernels,
  matrix: QuantizedMatrix,
  x: Float32Array,
): { readonly product: Float32Array; readonly expanded: Float32Array } {
  const { bits, rows, columns, blocks } = matrix;
  const padded = Math.ceil(rows / TILE_ROWS) * TILE_ROWS;
  const tiles = 1024 * BLOCK; // leaves room for the vector and the results
  const [splitAt, yAt, expandedAt] = [0, 16_384, tiles + tilesBytes(bits, rows, blocks)];
  kernels.memory.grow(Math.ceil((expandedAt + 4 * padded * blocks * BLOCK) / 65_536));
  const { buffer } = kernels.memory;
  writeTiles(matrix, new Uint32Array(buffer, tiles));
  const whole = new Float32Array(blocks * BLOCK);
  whole.set(x);
  const unit = splitVector(whole, new Int16Array(buffer, splitAt, 2 * whole.length), bits);
  kernels[`multiply${bits}`](tiles, splitAt, yAt, padded / TILE_ROWS, blocks, unit);
  const expanded: number[] = [];
  for (let tile = 0; tile < padded / TILE_ROWS; tile++) {
    const tileBytes = tilesBytes(bits, TILE_ROWS, blocks);
    kernels[`expand${bits}`](tiles + tile * tileBytes, expandedAt, 4 * blocks * BLOCK, blocks);
    const all = new Float32Array(buffer, expandedAt, TILE_ROWS * blocks * BLOCK);
    for (let row = 0; row < Math.min(TILE_ROWS, rows - tile * TILE_ROWS); row++) {
      expanded.push(...all.subarray(row * blocks * BLOCK, row * blocks * BLOCK + columns));
    }
  }
  return {
    product: new Float32Array(buffer, yAt, padded).slice(0, rows),
    expanded: Float32Array.from(expanded),
  };
}

/** Compares with sums in float64; rounding grows with the sum of the products' sizes. */
function expectProduct(product: Float32Array, matrix: Float32Array, x: Float32Array): void {
  for (const [row, value] of product.entries()) {
    let [sum, size] = [0, 1e-40];
    for (const [i, one] of x.entries()) {
      const term = one * (matrix[row * x.length + i] as number);
      sum += term;
      size += Math.abs(term);
    }
    expect(Math.abs(value - sum) / size).toBeLessThan(1e-6);
  }
}
