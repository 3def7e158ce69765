/** A matrix of float32 numbers, row by row. */
import type { ParameterShape, TensorSource } from "@waggle/model";
import { readRows } from "@waggle/model";
import { FLOAT_STEP } from "./kernel-steps.ts";
import type { FloatRows } from "./float-rows.ts";
import type { SimdMemory } from "./simd-memory.ts";
import { TOKEN_TILE } from "./weight-matrix.ts";
import type { WeightMatrix } from "./weight-matrix.ts";

/** Rows are padded with zeros to a multiple of this. */
const ROW_TILE = 4;

/** Rows that are multiplied with all tokens before the next, so that they stay in a CPU's cache. */
const ROWS_AT_ONCE = 8;

export class FloatMatrix implements WeightMatrix {
  readonly sizeBytes: number;
  readonly #memory: SimdMemory;
  readonly #at: number;
  readonly #rows: number;
  readonly #columns: number;

  private constructor(memory: SimdMemory, rows: number, columns: number) {
    this.#memory = memory;
    this.#rows = Math.ceil(rows / ROW_TILE) * ROW_TILE;
    this.#columns = columns;
    this.sizeBytes = 4 * this.#rows * columns;
    this.#at = memory.allocate(this.sizeBytes);
  }

  /** Reads a parameter `[rows, columns]` a slice at a time. */
  static async read(
    memory: SimdMemory,
    weights: TensorSource,
    parameter: ParameterShape,
  ): Promise<FloatMatrix> {
    const [rows = 1, columns = 1] = parameter.shape;
    const matrix = new FloatMatrix(memory, rows, columns);
    for await (const { begin, data } of readRows(weights, parameter)) {
      memory.floats.set(data, matrix.#at / 4 + begin * columns);
    }
    return matrix;
  }

  multiply(x: FloatRows, y: FloatRows, tokens: number): void {
    const { kernels } = this.#memory;
    const stride = 4 * this.#columns;
    const steps = this.#columns / FLOAT_STEP;
    if (tokens < TOKEN_TILE) {
      const tiles = this.#rows / ROW_TILE;
      kernels.multiply1x4(x.at, x.stride, this.#at, stride, y.at, y.stride, steps, tokens, tiles);
      return;
    }
    const tokenTiles = Math.ceil(tokens / TOKEN_TILE);
    for (let row = 0; row < this.#rows; row += ROWS_AT_ONCE) {
      const [w, to] = [this.#at + row * stride, y.at + 4 * row];
      const tiles = Math.min(ROWS_AT_ONCE, this.#rows - row) / 2;
      kernels.multiply4x2(x.at, x.stride, w, stride, to, y.stride, steps, tokenTiles, tiles);
    }
  }

  copyRow(row: number, to: number): void {
    const from = this.#at / 4 + row * this.#columns;
    this.#memory.floats.copyWithin(to / 4, from, from + this.#columns);
  }
}
