/** Rows of float32 numbers in the kernels' memory, padded with zeros to whole blocks. */
import { BLOCK_SIZE } from "@waggle/model";

export type FloatRows = {
  /** Address of the first row, in bytes. */
  readonly at: number;
  /** Bytes from one row to the next. */
  readonly stride: number;
};

/** Bytes of a row of `columns` numbers, padded to whole blocks. */
export function rowStride(columns: number): number {
  return Math.ceil(columns / BLOCK_SIZE) * BLOCK_SIZE * 4;
}
