/**
 * Keys and values of onnxruntime sessions: blocks of one or more rows, each row a sequence. A block
 * is what one run gave; it goes into the next run as it is while its rows stay together.
 */
import type { DecoderConfig } from "@waggle/model";
import type { Tensor as OrtTensor, TensorConstructor } from "onnxruntime-web";
import type { DecoderCache } from "./decoder-session.ts";

export type Feeds = { readonly [name: string]: OrtTensor };

/** Tensors `[B, kvHeads, P, D]` under the names of the graph's inputs. */
export class CacheBlock {
  readonly feeds: Feeds;
  readonly rows: number;
  /** P: positions there is room for; a row may fill fewer. */
  readonly capacity: number;
  #users: number;

  constructor(feeds: Feeds, rows: number, capacity: number) {
    this.feeds = feeds;
    this.rows = rows;
    this.capacity = capacity;
    this.#users = rows;
  }

  /** Called once by each row; the last frees the tensors. */
  leave(): void {
    this.#users--;
    if (this.#users === 0) for (const tensor of Object.values(this.feeds)) tensor.dispose();
  }
}

export class OrtCache implements DecoderCache {
  readonly length: number;
  readonly block: CacheBlock;
  readonly row: number;
  #isDisposed = false;

  constructor(block: CacheBlock, row: number, length: number) {
    this.block = block;
    this.row = row;
    this.length = length;
  }

  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.block.leave();
  }
}

/** True when the rows are exactly those of one block, in order, with no room to waste. */
export function isWholeBlock(caches: readonly OrtCache[]): boolean {
  const block = caches[0]?.block;
  return (
    block?.rows === caches.length &&
    caches.every((cache, row) => cache.block === block && cache.row === row) &&
    (caches.length > 1 || caches[0]?.length === block.capacity)
  );
}

/** Copies rows, of CPU tensors, into a block that is just long enough for the longest. */
export function packRows(
  caches: readonly OrtCache[],
  config: DecoderConfig,
  Tensor: TensorConstructor,
): CacheBlock {
  const { keyValueHeads: heads, headSize } = config;
  const capacity = Math.max(...caches.map((cache) => cache.length));
  const feeds: { [name: string]: OrtTensor } = {};
  for (const name of Object.keys(caches[0]?.block.feeds ?? {})) {
    const packed = new Float32Array(caches.length * heads * capacity * headSize);
    for (const [row, cache] of caches.entries()) {
      const source = cache.block.feeds[name]?.data as Float32Array;
      for (let head = 0; head < heads; head++) {
        const from = (cache.row * heads + head) * cache.block.capacity * headSize;
        const to = (row * heads + head) * capacity * headSize;
        packed.set(source.subarray(from, from + cache.length * headSize), to);
      }
    }
    feeds[name] = new Tensor("float32", packed, [caches.length, heads, capacity, headSize]);
  }
  return new CacheBlock(feeds, caches.length, capacity);
}
