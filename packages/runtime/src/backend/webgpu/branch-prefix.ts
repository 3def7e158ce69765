/**
 * The common prefix of sequences forked from one another, with its keys and values stored once.
 * Members that step have a place in a group for their own positions; the others only read the
 * prefix. Freed with its last member. Runs nothing.
 */
import { after, bytesFor, copyParts, rowAt } from "./branch-copies.ts";
import type { Parts } from "./branch-copies.ts";
import { BranchGroup } from "./branch-group.ts";
import type { BranchMemory, GroupMember, GroupPrefix } from "./branch-group.ts";
import type { CacheBlock, WebgpuCache } from "./cache-rows.ts";

const LEAST_ROOM = 128;

export type BranchOptions = BranchMemory & {
  /** Maximum sequences per run. */
  readonly maxRows: number;
  readonly onFree: (prefix: BranchPrefix) => void;
};

export class BranchPrefix implements GroupPrefix {
  readonly options: BranchOptions;
  readonly members: Set<BranchMember> = new Set();
  readonly groups: Set<BranchGroup> = new Set();
  /** Positions that it has room for. */
  readonly room: number;
  /** One for each state. */
  readonly buffers: readonly GPUBuffer[];
  /** Number of current uses; nothing is freed while there are any. */
  #holders = 0;
  #isFreed = false;

  /**
   * Turns caches in one row, and their common beginning, into members of a new prefix.
   *
   * @param caches - all caches in the row.
   * @throws WaggleError `OUT_OF_MEMORY`.
   */
  static async of(caches: readonly WebgpuCache[], options: BranchOptions): Promise<BranchPrefix> {
    const { memory, caches: store } = options;
    const { block, row } = caches[0] as WebgpuCache;
    const longest = Math.max(...caches.map(({ length }) => length));
    const room = roomFor(longest);
    const sizes = store.layouts.map((layout) => bytesFor(layout, room));
    const buffers = await memory.allocate("caches", sizes);
    const prefix = new BranchPrefix(options, room, buffers);
    const encoder = memory.device.createCommandEncoder();
    for (const [index, layout] of store.layouts.entries()) {
      const from = rowAt(block as CacheBlock, row, index, layout);
      copyParts(encoder, from, prefix.at(index), longest, layout);
    }
    memory.device.queue.submit([encoder.finish()]);
    await prefix.hold(() => {
      for (const cache of caches) {
        if (cache.block !== block) continue; // disposed of meanwhile
        store.leave(cache);
        cache.branch = new BranchMember(cache, prefix, cache.length);
      }
    });
    store.freeSpare();
    return prefix;
  }

  private constructor(options: BranchOptions, room: number, buffers: readonly GPUBuffer[]) {
    this.options = options;
    this.room = room;
    this.buffers = buffers;
  }

  /** Place of a state. */
  at(index: number): Parts {
    const { innerBytes } = this.options.caches.layouts[index] ?? { innerBytes: 0 };
    return { buffer: this.buffers[index] as GPUBuffer, at: 0, stride: this.room * innerBytes };
  }

  /**
   * Gives members a place in a group.
   *
   * @param source - member whose own positions they copy; `null` for none.
   * @throws WaggleError `OUT_OF_MEMORY`.
   */
  async seat(members: readonly BranchMember[], source: BranchMember | null): Promise<void> {
    const { maxRows } = this.options;
    await this.hold(async () => {
      const waiting = [...members];
      for (const group of this.groups) {
        const coming = waiting.splice(0, maxRows - group.members.length);
        if (coming.length > 0) await group.admit(coming, source);
      }
      while (waiting.length > 0) {
        const group = new BranchGroup(this);
        this.groups.add(group);
        await group.admit(waiting.splice(0, maxRows), source);
      }
    });
  }

  /** Prevents freeing while `use` runs. */
  async hold<T>(use: () => T | Promise<T>): Promise<T> {
    this.#holders++;
    try {
      return await use();
    } finally {
      this.#holders--;
      this.sweep();
    }
  }

  /** Frees what is no longer needed. */
  sweep(): void {
    if (this.#holders > 0) return;
    for (const group of this.groups) {
      if (group.members.length > 0) continue;
      group.free();
      this.groups.delete(group);
    }
    if (this.members.size === 0) this.free();
  }

  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    for (const { cache } of this.members) cache.branch = null;
    for (const group of this.groups) group.free();
    for (const buffer of this.buffers) buffer.destroy();
    this.options.onFree(this);
  }
}

/** One sequence: positions of the prefix, then its own. */
export class BranchMember implements GroupMember {
  readonly cache: WebgpuCache;
  readonly prefix: BranchPrefix;
  /** The group with its own positions, once it has some. */
  group: BranchGroup | null = null;
  #shared: number;

  constructor(cache: WebgpuCache, prefix: BranchPrefix, shared: number) {
    this.cache = cache;
    this.prefix = prefix;
    this.#shared = shared;
    prefix.members.add(this);
  }

  /**
   * Positions of the prefix that it reads. After truncation into the prefix, fewer from the next
   * step on.
   */
  get shared(): number {
    return Math.min(this.#shared, this.cache.length);
  }

  get own(): number {
    return this.cache.length - this.shared;
  }

  /** Call before a step: after truncation into the prefix, shares fewer positions. */
  settle(): void {
    this.#shared = this.shared;
  }

  /** Place of its own positions of a state, or of the state itself. */
  placeOf(index: number): Parts {
    return this.group?.placeOf(this, index) ?? this.prefix.at(index);
  }

  copyTo(encoder: GPUCommandEncoder, target: CacheBlock, row: number): void {
    const { shared, own, prefix } = this;
    for (const [index, layout] of prefix.options.caches.layouts.entries()) {
      const to = rowAt(target, row, index, layout);
      copyParts(encoder, prefix.at(index), to, shared, layout);
      copyParts(encoder, this.placeOf(index), after(to, shared, layout), own, layout);
    }
  }

  async fork(cache: WebgpuCache, length: number): Promise<void> {
    const { prefix, shared, group } = this;
    const { canGoBack } = prefix.options.caches;
    if (!canGoBack && length < this.cache.length) return;
    cache.length = length;
    const member = new BranchMember(cache, prefix, Math.min(length, shared));
    cache.branch = member;
    try {
      if (length > shared || (group && !canGoBack)) await prefix.seat([member], this);
    } catch (error) {
      cache.dispose();
      throw error;
    }
  }

  leave(): void {
    this.cache.branch = null;
    this.prefix.members.delete(this);
    this.group?.dismiss(this);
    this.prefix.sweep();
  }
}

/** Four sizes per doubling: every size is a separate shape, but unused room costs time. */
function roomFor(length: number): number {
  const step = Math.max(LEAST_ROOM, 2 ** Math.floor(Math.log2(length)) / 4);
  return Math.ceil(length / step) * step;
}
