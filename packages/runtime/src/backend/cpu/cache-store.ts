/**
 * The caches of one session. A cache is either a row, or a branch: a prefix that several caches
 * share, plus a row for the positions after it. Forking a long cache creates a branch and turns the
 * origin into one. The session decides which rows run together.
 */
import type { DecoderCache } from "../decoder-backend.ts";
import type { CpuDevice } from "./cpu-device.ts";
import { RowStore } from "./row-store.ts";
import type { CacheRow } from "./row-store.ts";
import { SharedPrefix } from "./shared-prefix.ts";
import type { StateBlock } from "./state-block.ts";
import type { StateLayout } from "./state-layout.ts";

/** Keys and values of one sequence. */
export class CpuCache implements DecoderCache {
  /** Positions before those of the row. */
  prefix: SharedPrefix | null;
  row: CacheRow;
  readonly #store: CacheStore;

  constructor(store: CacheStore, row: CacheRow, prefix: SharedPrefix | null) {
    this.#store = store;
    this.row = row;
    this.prefix = prefix;
  }

  get length(): number {
    return (this.prefix?.length ?? 0) + this.row.length;
  }

  truncate(length: number): void {
    this.#store.truncate(this, length);
  }

  dispose(): void {
    this.#store.dispose(this);
  }
}

type CacheStoreOptions = {
  readonly device: CpuDevice;
  readonly layouts: readonly StateLayout[];
  /** Of one cache. */
  readonly maxPositions: number;
  /** Called before memory that runs are bound to is freed. */
  readonly onFree: (memory: StateBlock | SharedPrefix) => void;
};

/** Steps in which room grows: where each run copies all of it, and where it multiplies all of it. */
const COPIED_STEP = 64;
const MULTIPLIED_STEP = 32;

export class CacheStore {
  /** Caches without a prefix. */
  readonly rows: RowStore;
  /** Own positions of branches. */
  readonly suffixes: RowStore;
  readonly #options: CacheStoreOptions;
  readonly #prefixes = new Set<SharedPrefix>();
  #leaving: CpuCache[] | null = null;

  constructor(options: CacheStoreOptions) {
    const { device, layouts, maxPositions, onFree } = options;
    this.#options = options;
    const growthStep = device.copiesOutputs ? COPIED_STEP : null;
    this.rows = new RowStore({ device, layouts, maxPositions, onFree, growthStep });
    // All room takes part in products, so there is little of it and it must hold finite numbers.
    const scarce = { growthStep: MULTIPLIED_STEP, clearsRoom: true };
    this.suffixes = new RowStore({ device, layouts, maxPositions, onFree, ...scarce });
  }

  get sizeBytes(): number {
    let sum = this.rows.sizeBytes + this.suffixes.sizeBytes;
    for (const prefix of this.#prefixes) sum += prefix.sizeBytes;
    return sum;
  }

  create(): CpuCache {
    return new CpuCache(this, this.rows.create(), null);
  }

  /**
   * A cache with a copy of the first `length` positions, or an empty one if rows cannot be
   * truncated.
   */
  copy({ row, prefix }: CpuCache, length: number): CpuCache {
    if (prefix === null) return new CpuCache(this, this.rows.fork(row, length), null);
    const own = length - prefix.length;
    if (own < 0) return new CpuCache(this, this.#unsharedRow(prefix, row, length), null);
    return new CpuCache(this, this.suffixes.fork(row, own), prefix.retain());
  }

  /** Like `copy`, but shares the positions with `cache`, which becomes a branch too. */
  branch(cache: CpuCache, length: number): CpuCache {
    if (cache.prefix === null) this.#share(cache, length);
    return this.copy(cache, length);
  }

  /** Copies the first `length` positions of a branch, by default all, into a row of its own. */
  unshare(cache: CpuCache, length: number = cache.length): void {
    const { prefix, row } = cache;
    if (prefix === null) return;
    cache.row = this.#unsharedRow(prefix, row, length);
    cache.prefix = null;
    this.suffixes.remove(row);
    prefix.release();
  }

  truncate(cache: CpuCache, length: number): void {
    if (length >= cache.length) return;
    const { prefix, row } = cache;
    if (prefix === null) row.length = this.rows.canGoBack ? length : 0;
    else if (length < prefix.length) this.unshare(cache, length);
    else row.length = length - prefix.length;
  }

  dispose(cache: CpuCache): void {
    if (this.#leaving !== null) this.#leaving.push(cache);
    else this.#remove(cache);
  }

  /** Until the run that uses the memory ends, disposed caches keep their place. */
  hold(): void {
    this.#leaving = [];
  }

  unhold(): void {
    const leaving = this.#leaving ?? [];
    this.#leaving = null;
    for (const cache of leaving) this.#remove(cache);
  }

  free(): void {
    this.rows.free();
    this.suffixes.free();
  }

  #share(cache: CpuCache, length: number): void {
    const { device, layouts, onFree } = this.#options;
    const { row } = cache;
    const block = row.block as StateBlock;
    const prefix = new SharedPrefix(
      device,
      layouts,
      { block, row: row.row, length },
      (freed: SharedPrefix) => {
        onFree(freed);
        this.#prefixes.delete(freed);
      },
    );
    this.#prefixes.add(prefix.retain());
    try {
      const own = this.suffixes.createFilled(row.length - length);
      own.block?.copyRow(block, row.row, own.row, own.length, length);
      cache.row = own;
      cache.prefix = prefix;
    } catch (error) {
      prefix.release();
      throw error;
    }
    this.rows.remove(row);
  }

  #unsharedRow(prefix: SharedPrefix, own: CacheRow, length: number): CacheRow {
    const row = this.rows.createFilled(length);
    if (row.block === null) return row;
    prefix.copyTo(row.block, row.row, Math.min(length, prefix.length));
    const rest = length - prefix.length;
    if (rest > 0) {
      row.block.copyRow(own.block as StateBlock, own.row, row.row, rest, 0, prefix.length);
    }
    return row;
  }

  #remove(cache: CpuCache): void {
    const { prefix, row } = cache;
    (prefix === null ? this.rows : this.suffixes).remove(row);
    cache.prefix = null;
    prefix?.release();
  }
}
