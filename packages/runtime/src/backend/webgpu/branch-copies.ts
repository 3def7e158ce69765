/** Copies of positions between rows of caches and what branches hold of them. */
import type { CacheBlock, StateLayout } from "./cache-rows.ts";

/**
 * Positions of one row, part by part: where the first begins, and how far the next is from it. Of a
 * state without positions, where all of it begins.
 */
export type Parts = { readonly buffer: GPUBuffer; readonly at: number; readonly stride: number };

/** @param index - of the state. */
export function rowAt(
  { buffers }: CacheBlock,
  row: number,
  index: number,
  { rowBytes, outer }: StateLayout,
): Parts {
  return { buffer: buffers[index] as GPUBuffer, at: row * rowBytes, stride: rowBytes / outer };
}

/** Bytes of so many positions of a state, or of one that has none. */
export function bytesFor({ outer, innerBytes, rowBytes }: StateLayout, positions: number): number {
  return outer === 0 ? rowBytes : outer * innerBytes * positions;
}

/** The same from a later position on. */
export function after(parts: Parts, positions: number, { innerBytes }: StateLayout): Parts {
  return { ...parts, at: parts.at + positions * innerBytes };
}

export function copyParts(
  encoder: GPUCommandEncoder,
  from: Parts,
  to: Parts,
  positions: number,
  { outer, innerBytes, rowBytes }: StateLayout,
): void {
  if (outer === 0) encoder.copyBufferToBuffer(from.buffer, from.at, to.buffer, to.at, rowBytes);
  if (positions === 0) return;
  for (let part = 0; part < outer; part++) {
    const [source, target] = [from.at + part * from.stride, to.at + part * to.stride];
    encoder.copyBufferToBuffer(from.buffer, source, to.buffer, target, positions * innerBytes);
  }
}
