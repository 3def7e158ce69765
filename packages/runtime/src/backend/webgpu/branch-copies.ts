/** Copies positions between rows of caches and the memory of branches. */
import type { CacheBlock, StateLayout } from "./cache-rows.ts";

/**
 * Positions of one row, part by part: the start of the first part, and the distance to the next.
 * For a state without positions, its start.
 */
export type Parts = { readonly buffer: GPUBuffer; readonly at: number; readonly stride: number };

/** @param index - number of the state. */
export function rowAt(
  { buffers }: CacheBlock,
  row: number,
  index: number,
  { rowBytes, outer }: StateLayout,
): Parts {
  return { buffer: buffers[index] as GPUBuffer, at: row * rowBytes, stride: rowBytes / outer };
}

/** Bytes of this many positions of a state, or of a whole state without positions. */
export function bytesFor({ outer, innerBytes, rowBytes }: StateLayout, positions: number): number {
  return outer === 0 ? rowBytes : outer * innerBytes * positions;
}

/** The same parts, starting at a later position. */
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
