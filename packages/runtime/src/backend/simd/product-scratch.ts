/** Memory that products need while they run, shared by all matrices of a model. */
import { rowStride } from "./float-rows.ts";
import type { FloatRows } from "./float-rows.ts";
import { SPLIT_BLOCK_BYTES } from "./quantized-tiles.ts";
import type { SimdMemory } from "./simd-memory.ts";

/** Rows of a quantized matrix that are expanded at a time. */
export const EXPANDED_ROWS = 8;

export type ProductScratch = {
  /** Room for one split vector. */
  readonly split: number;
  /** Room for `EXPANDED_ROWS` rows. */
  readonly expanded: FloatRows;
  readonly sizeBytes: number;
};

/** @param columns - of the widest matrix. */
export function allocateScratch(memory: SimdMemory, columns: number): ProductScratch {
  const stride = rowStride(columns);
  const splitBytes = (stride / 128) * SPLIT_BLOCK_BYTES;
  return {
    split: memory.allocate(splitBytes),
    expanded: { at: memory.allocate(EXPANDED_ROWS * stride), stride },
    sizeBytes: splitBytes + EXPANDED_ROWS * stride,
  };
}
