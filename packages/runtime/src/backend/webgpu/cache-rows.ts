/**
 * Keys, values and other states of sequences on the device. A block has a fixed number of rows for
 * the whole context, allocated once; a cache is a row of a block and is written in place. Forks
 * share their source's row until one of them would overwrite what another needs. Rows that run
 * together are moved to one block and stay there.
 */
import { stateShape } from "@waggle/model";
import type { DecoderState } from "@waggle/model";
import type { DecoderCache } from "../decoder-backend.ts";
import type { GpuMemory } from "./gpu-memory.ts";

/** Layout of one state in a block: `[rows, outer, positions, inner]`. */
export type StateLayout = {
  readonly rowBytes: number;
  /** Parts of a row that have positions, 0 if the state has none. */
  readonly outer: number;
  /** Bytes of one position of one part. */
  readonly innerBytes: number;
};

/** A fixed number of rows. */
export class CacheBlock {
  /** One for each state. */
  readonly buffers: readonly GPUBuffer[];
  /** The caches that read each row. A row without any is free. */
  readonly rows: readonly Set<WebgpuCache>[];
  /** Kept by others for its placements; dropped with the block. */
  readonly bound: Map<unknown, unknown> = new Map();

  constructor(buffers: readonly GPUBuffer[], rows: number) {
    this.buffers = buffers;
    this.rows = Array.from({ length: rows }, () => new Set<WebgpuCache>());
  }
}

/** Place of a cache that shares a prefix, instead of a row. */
export type Branch = {
  /** Copies all its positions. */
  copyTo(encoder: GPUCommandEncoder, target: CacheBlock, row: number): void;
  /** Gives an empty cache its first positions. */
  fork(cache: WebgpuCache, length: number): Promise<void>;
  leave(): void;
};

/** A sequence's row, or its branch. */
export class WebgpuCache implements DecoderCache {
  length = 0;
  branch: Branch | null = null;
  /** Its block, `null` before its first run. */
  block: CacheBlock | null = null;
  row = 0;
  readonly #store: CacheStore;

  constructor(store: CacheStore) {
    this.#store = store;
  }

  truncate(length: number): void {
    if (length >= this.length) return;
    this.length = this.#store.canGoBack ? length : 0;
    if (this.length === 0) this.#store.leave(this);
  }

  dispose(): void {
    this.length = 0;
    this.#store.leave(this);
  }
}

/** Adjacent rows of one run: `rows` of a block, from `first`. */
export type CachePlacement = {
  readonly block: CacheBlock;
  readonly first: number;
  readonly rows: number;
};

export type CacheStoreOptions = {
  readonly memory: GpuMemory;
  readonly states: readonly DecoderState[];
  /** Positions of every row. */
  readonly capacity: number;
};

export class CacheStore {
  /** False if there is a state without positions, which cannot be truncated. */
  readonly canGoBack: boolean;
  readonly #memory: GpuMemory;
  readonly layouts: readonly StateLayout[];
  readonly #blocks = new Set<CacheBlock>();
  /** Unused blocks kept for reuse, at most one of each size. */
  readonly #spare = new Map<number, CacheBlock>();

  constructor({ memory, states, capacity }: CacheStoreOptions) {
    this.#memory = memory;
    this.layouts = states.map((state) => layoutOf(state, capacity));
    this.canGoBack = this.layouts.every(({ outer }) => outer > 0);
  }

  /** Bytes of one row of a state. */
  bytesOf(state: number): number {
    return this.layouts[state]?.rowBytes ?? 0;
  }

  create(): WebgpuCache {
    return new WebgpuCache(this);
  }

  /** Shares the source's row. Empty if a state cannot be truncated to so few positions. */
  async fork(source: WebgpuCache, length: number): Promise<WebgpuCache> {
    const cache = this.create();
    const { block, branch } = source;
    if (length === 0) return cache;
    if (branch !== null) {
      await branch.fork(cache, length);
      return cache;
    }
    if (block === null) return cache;
    if (this.canGoBack ? length <= source.length : length === source.length) {
      enter(cache, block, source.row);
      cache.length = length;
    }
    return cache;
  }

  /** Gives the cache a row in which it can write. */
  async placeOne(cache: WebgpuCache): Promise<CachePlacement> {
    if (cache.block === null || !this.#mayWrite(cache))
      await this.#move([cache], await this.#take(1), [0]);
    return { block: cache.block as CacheBlock, first: cache.row, rows: 1 };
  }

  /**
   * Brings all caches into one block. Rows of other caches in it are not written below their lengths.
   *
   * @param most - maximum rows of a block, a power of two.
   */
  async placeMany(caches: readonly WebgpuCache[], most: number): Promise<CachePlacement> {
    const home = this.#bestBlockFor(caches);
    if (home !== null) {
      const settled = this.#settledIn(home, caches);
      const coming = caches.filter((cache) => !settled.has(cache));
      const free = [...home.rows.keys()].filter((row) => home.rows[row]?.size === 0);
      await this.#move(coming, home, free);
      return { block: home, first: 0, rows: home.rows.length };
    }
    let rows = 1;
    while (rows < caches.length) rows *= 2;
    const block = await this.#take(Math.min(rows, most));
    await this.#move(caches, block, [...caches.keys()]);
    return { block, first: 0, rows: block.rows.length };
  }

  /** Called by a cache that no longer needs its row. */
  leave(cache: WebgpuCache): void {
    const { block, row } = cache;
    cache.branch?.leave();
    if (block === null) return;
    block.rows[row]?.delete(cache);
    cache.block = null;
    if (block.rows.some((users) => users.size > 0)) return;
    this.#blocks.delete(block);
    if (this.#spare.has(block.rows.length)) for (const buffer of block.buffers) buffer.destroy();
    else this.#spare.set(block.rows.length, block);
  }

  dispose(): void {
    this.freeSpare();
    for (const { buffers } of this.#blocks) for (const buffer of buffers) buffer.destroy();
    this.#blocks.clear();
  }

  freeSpare(): void {
    for (const { buffers } of this.#spare.values()) for (const buffer of buffers) buffer.destroy();
    this.#spare.clear();
  }

  /** The block with most of them, if it has room for the rest and few rows would be idle. */
  #bestBlockFor(caches: readonly WebgpuCache[]): CacheBlock | null {
    let home: CacheBlock | null = null;
    for (const block of new Set(caches.map((cache) => cache.block))) {
      if (block === null || block.rows.length < 2) continue;
      const count = this.#settledIn(block, caches).size;
      const free = block.rows.filter((users) => users.size === 0).length;
      const isIdle = caches.length * 2 <= block.rows.length;
      if (!isIdle && count * 2 >= caches.length && count + free >= caches.length) home = block;
    }
    return home;
  }

  /** Caches that can stay in place: of several in one row only the first. */
  #settledIn(block: CacheBlock, caches: readonly WebgpuCache[]): Set<WebgpuCache> {
    const byRow = new Map<number, WebgpuCache>();
    for (const cache of caches) {
      if (cache.block === block && this.#mayWrite(cache) && !byRow.has(cache.row)) {
        byRow.set(cache.row, cache);
      }
    }
    return new Set(byRow.values());
  }

  /** Whether appending leaves the positions that others read in its row alone. */
  #mayWrite(cache: WebgpuCache): boolean {
    for (const other of cache.block?.rows[cache.row] ?? []) {
      if (other !== cache && (other.length > cache.length || !this.canGoBack)) return false;
    }
    return true;
  }

  /** Moves caches to rows of a block, which must have enough. */
  async #move(
    caches: readonly WebgpuCache[],
    target: CacheBlock,
    rows: readonly number[],
  ): Promise<void> {
    for (const [index, cache] of caches.entries()) {
      const row = rows[index] as number;
      // WebGPU cannot copy a buffer into itself, so it goes through a separate block.
      if (cache.block === target) await this.#move([cache], await this.#take(1), [0]);
      this.#copy(cache, target, row);
      this.leave(cache);
      enter(cache, target, row);
    }
  }

  /** Copies a cache's contents; states without positions of an empty cache become zeros. */
  #copy(cache: WebgpuCache, target: CacheBlock, row: number): void {
    const { device } = this.#memory;
    const { block: source, branch, length } = cache;
    if (length === 0 && this.canGoBack) return;
    const encoder = device.createCommandEncoder();
    branch?.copyTo(encoder, target, row);
    const copied = branch === null ? this.layouts : [];
    for (const [index, { rowBytes, outer, innerBytes }] of copied.entries()) {
      const to = target.buffers[index] as GPUBuffer;
      if (source === null || length === 0) {
        if (outer === 0) encoder.clearBuffer(to, row * rowBytes, rowBytes);
        continue;
      }
      const from = source.buffers[index] as GPUBuffer;
      const [fromRow, toRow] = [cache.row * rowBytes, row * rowBytes];
      if (outer === 0) {
        encoder.copyBufferToBuffer(from, fromRow, to, toRow, rowBytes);
        continue;
      }
      const partBytes = rowBytes / outer;
      for (let part = 0; part < outer; part++) {
        const at = part * partBytes;
        encoder.copyBufferToBuffer(from, fromRow + at, to, toRow + at, length * innerBytes);
      }
    }
    device.queue.submit([encoder.finish()]);
  }

  async #take(rows: number): Promise<CacheBlock> {
    let block = this.#spare.get(rows);
    if (block === undefined) {
      const sizes = this.layouts.map(({ rowBytes }) => rows * rowBytes);
      block = new CacheBlock(await this.#allocate(sizes), rows);
    }
    this.#spare.delete(rows);
    this.#blocks.add(block);
    return block;
  }

  /** Frees spare blocks before failing. */
  async #allocate(sizes: readonly number[]): Promise<GPUBuffer[]> {
    if (this.#spare.size === 0) return this.#memory.allocate("caches", sizes);
    try {
      return await this.#memory.allocate("caches", sizes);
    } catch {
      this.freeSpare();
      return this.#memory.allocate("caches", sizes);
    }
  }
}

function enter(cache: WebgpuCache, block: CacheBlock, row: number): void {
  block.rows[row]?.add(cache);
  cache.block = block;
  cache.row = row;
}

function layoutOf(state: DecoderState, capacity: number): StateLayout {
  const [, ...dims] = stateShape(state, 1, capacity);
  const bytes = state.dtype === "f16" ? 2 : 4;
  const rowBytes = bytes * dims.reduce((product, dim) => product * dim, 1);
  const at = state.rowShape.indexOf("positions");
  if (at === -1) return { rowBytes, outer: 0, innerBytes: 0 };
  const outer = dims.slice(0, at).reduce((product, dim) => product * dim, 1);
  return { rowBytes, outer, innerBytes: rowBytes / outer / capacity };
}
