/** A matrix of 4 or 8 bits, in tiles. It is never expanded as a whole. */
import { BLOCK_SIZE, readQuantizedSlices } from "@waggle/model";
import type { ParameterShape, TensorSource } from "@waggle/model";
import { FLOAT_STEP } from "./kernel-steps.ts";
import type { FloatRows } from "./float-rows.ts";
import { EXPANDED_ROWS } from "./product-scratch.ts";
import type { ProductScratch } from "./product-scratch.ts";
import { TILE_ROWS, tilesBytes, writeTiles } from "./quantized-tiles.ts";
import type { SimdMemory } from "./simd-memory.ts";
import { splitVector } from "./split-vector.ts";
import { TOKEN_TILE } from "./weight-matrix.ts";
import type { WeightMatrix } from "./weight-matrix.ts";

type Kind = {
  readonly bits: 4 | 8;
  readonly memory: SimdMemory;
  readonly scratch: ProductScratch;
};

export class QuantizedMatrix implements WeightMatrix {
  readonly sizeBytes: number;
  readonly #kind: Kind;
  readonly #at: number;
  readonly #tiles: number;
  readonly #blocks: number;
  readonly #tileBytes: number;

  private constructor(kind: Kind, rows: number, columns: number) {
    this.#kind = kind;
    this.#tiles = Math.ceil(rows / TILE_ROWS);
    this.#blocks = Math.ceil(columns / BLOCK_SIZE);
    this.#tileBytes = tilesBytes(kind.bits, TILE_ROWS, this.#blocks);
    this.sizeBytes = this.#tiles * this.#tileBytes;
    this.#at = kind.memory.allocate(this.sizeBytes);
  }

  /** Reads a parameter `[rows, columns]` a slice at a time. */
  static async read(
    kind: Kind,
    weights: TensorSource,
    parameter: ParameterShape,
  ): Promise<QuantizedMatrix> {
    const [rows = 1, columns = 1] = parameter.shape;
    const matrix = new QuantizedMatrix(kind, rows, columns);
    for await (const { begin, matrix: slice } of readQuantizedSlices(
      weights,
      parameter,
      kind.bits,
    )) {
      const at = matrix.#at + (begin / TILE_ROWS) * matrix.#tileBytes;
      writeTiles(slice, kind.memory.words.subarray(at / 4));
    }
    return matrix;
  }

  multiply(x: FloatRows, y: FloatRows, tokens: number): void {
    if (tokens >= TOKEN_TILE) {
      this.#multiplyExpanded(x, y, tokens);
      return;
    }
    const { bits, memory, scratch } = this.#kind;
    const columns = this.#blocks * BLOCK_SIZE;
    const { buffer } = memory.floats;
    for (let token = 0; token < tokens; token++) {
      const vector = new Float32Array(buffer, x.at + token * x.stride, columns);
      const unit = splitVector(vector, new Int16Array(buffer, scratch.split, 2 * columns), bits);
      const to = y.at + token * y.stride;
      const multiply = memory.kernels[`multiply${bits}`];
      multiply(this.#at, scratch.split, to, this.#tiles, this.#blocks, unit);
    }
  }

  copyRow(row: number, to: number): void {
    const { memory, scratch } = this.#kind;
    const { at, stride } = scratch.expanded;
    this.#expand(Math.floor(row / TILE_ROWS), at);
    const from = (at + (row % TILE_ROWS) * stride) / 4;
    memory.floats.copyWithin(to / 4, from, from + this.#blocks * BLOCK_SIZE);
  }

  /** Expands some rows at a time to float32 numbers, which all tokens then use. */
  #multiplyExpanded(x: FloatRows, y: FloatRows, tokens: number): void {
    const { memory, scratch } = this.#kind;
    const { at, stride } = scratch.expanded;
    const steps = (this.#blocks * BLOCK_SIZE) / FLOAT_STEP;
    const tokenTiles = Math.ceil(tokens / TOKEN_TILE);
    const tilesAtOnce = EXPANDED_ROWS / TILE_ROWS;
    for (let tile = 0; tile < this.#tiles; tile += tilesAtOnce) {
      const tiles = Math.min(tilesAtOnce, this.#tiles - tile);
      for (let one = 0; one < tiles; one++) {
        this.#expand(tile + one, at + one * TILE_ROWS * stride);
      }
      const to = y.at + 4 * tile * TILE_ROWS;
      const rowTiles = (tiles * TILE_ROWS) / 2;
      const { multiply4x2 } = memory.kernels;
      multiply4x2(x.at, x.stride, at, stride, to, y.stride, steps, tokenTiles, rowTiles);
    }
  }

  #expand(tile: number, to: number): void {
    const { bits, memory, scratch } = this.#kind;
    const from = this.#at + tile * this.#tileBytes;
    memory.kernels[`expand${bits}`](from, to, scratch.expanded.stride, this.#blocks);
  }
}
