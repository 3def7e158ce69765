/**
 * Attention masks: for each block of queries, the range of keys that any of them attends to, and the
 * mask added to the scores. Plain causal rows share one view; packed rows get their own, derived from
 * the parents of their tokens. The matrix products are in `causal-attention.ts`.
 */
import type { Tensor } from "@waggle/protocol";
import type { OnnxProvider } from "../onnx/onnx-device.ts";

/** Large enough that exp(−MASKED) is 0, small enough that products with it stay finite in f32. */
export const MASKED = 1e9;

/**
 * Shorter rows are not cut into blocks, because more nodes cost more than the blocks save. At 128
 * tokens native code saves nothing; WebAssembly, whose products are slower, saves a seventh.
 */
const SHORTEST_IN_BLOCKS = { cpu: 192, cuda: 192, webgpu: 192, wasm: 128 } as const;

/** Number of blocks for queries of this length. Four blocks are as fast as eight. */
export function attentionBlocks(length: number, provider: OnnxProvider): number {
  return length < SHORTEST_IN_BLOCKS[provider] ? 1 : 4;
}

/** Queries `begin` to `end` of block `block`. They attend to no key from `end` on. */
export function blockRange(
  length: number,
  blocks: number,
  block: number,
): { readonly begin: number; readonly end: number } {
  const at = (index: number): number => Math.floor((index * length) / blocks);
  return { begin: at(block), end: at(block + 1) };
}

/** Queries `begin` to `end`, which attend only to keys `first` to `end`. */
export type QueryBlock = {
  readonly begin: number;
  readonly end: number;
  readonly first: number;
  /** `[B, 1, end − begin, end − first]`, B may be 1 for all rows: 0, or −MASKED for a masked key. */
  readonly mask: Tensor;
};

/** Each token attends to itself and all tokens before it, in any number of rows. */
export function causalView(length: number, blocks: number): QueryBlock[] {
  return Array.from({ length: blocks }, (_, block) => {
    const { begin, end } = blockRange(length, blocks, block);
    const data = new Float32Array((end - begin) * end);
    for (let query = begin; query < end; query++) {
      const row = (query - begin) * end;
      data.fill(-MASKED, row + query + 1, row + end);
    }
    return { begin, end, first: 0, mask: { shape: [1, 1, end - begin, end], data } };
  });
}

/**
 * Each token attends to itself and its ancestors.
 * @param parents `[B·T]`, the place of the preceding token within the row, −1 for a root; always
 *   less than the token's own place.
 */
export function treeView(parents: Int32Array, length: number, blocks: number): QueryBlock[] {
  const batch = parents.length / length;
  // a single block takes all keys, so it needs no roots
  const roots = blocks === 1 ? null : rootsOf(parents, length);
  return Array.from({ length: blocks }, (_, block) => {
    const { begin, end } = blockRange(length, blocks, block);
    const first = roots === null ? 0 : leastRoot(roots, length, begin, end);
    const [queries, keys] = [end - begin, end - first];
    const data = new Float32Array(batch * queries * keys).fill(-MASKED);
    for (let row = 0; row < batch; row++) {
      for (let query = begin; query < end; query++) {
        const start = (row * queries + query - begin) * keys - first;
        for (let key = query; key >= 0; key = parents[row * length + key] as number) {
          data[start + key] = 0;
        }
      }
    }
    return { begin, end, first, mask: { shape: [batch, 1, queries, keys], data } };
  });
}

/** The root of each token's path, as a place within its row. */
function rootsOf(parents: Int32Array, length: number): Int32Array {
  const roots = new Int32Array(parents.length);
  parents.forEach((parent, place) => {
    const row = place - (place % length);
    roots[place] = parent < 0 ? place - row : (roots[row + parent] as number);
  });
  return roots;
}

function leastRoot(roots: Int32Array, length: number, begin: number, end: number): number {
  let least = begin;
  for (let row = 0; row < roots.length; row += length) {
    for (const root of roots.subarray(row + begin, row + end)) least = Math.min(least, root);
  }
  return least;
}
