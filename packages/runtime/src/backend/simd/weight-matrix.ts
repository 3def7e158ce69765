/** A matrix of a model in the kernels' memory. */
import type { FloatRows } from "./float-rows.ts";

/** Tokens of a product that are computed together; rows of results are padded to it. */
export const TOKEN_TILE = 4;

export interface WeightMatrix {
  readonly sizeBytes: number;
  /**
   * y[t] = W · x[t] for `tokens` vectors. Rows of y are written up to a multiple of `TOKEN_TILE`, and
   * each up to a multiple of 8 numbers.
   */
  multiply(x: FloatRows, y: FloatRows, tokens: number): void;
  /** Copies one row to an address. */
  copyRow(row: number, to: number): void;
}
