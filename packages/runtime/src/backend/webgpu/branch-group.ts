/**
 * Members of one prefix that step together: keys and values of each after the shared part, and the
 * inputs of their steps. Manages memory; runs nothing.
 */
import { hasPositions, prefixNames } from "@waggle/model";
import type { DecoderState } from "@waggle/model";
import { bytesFor, copyParts } from "./branch-copies.ts";
import type { Parts } from "./branch-copies.ts";
import { BranchInputs } from "./branch-inputs.ts";
import { CacheBlock } from "./cache-rows.ts";
import type { Branch, CachePlacement, CacheStore, StateLayout, WebgpuCache } from "./cache-rows.ts";
import type { BoundCommands, Placement } from "./command-tap.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import type { StepShape } from "./step-inputs.ts";

/** Own positions of a new group. Doubled when full, because every size is a separate shape. */
const LEAST_ROOM = 32;

/** Memory for branches, and what it is for. */
export type BranchMemory = {
  readonly memory: GpuMemory;
  readonly states: readonly DecoderState[];
  readonly caches: CacheStore;
};

/** The prefix shared by a group's members. */
export interface GroupPrefix {
  readonly options: BranchMemory;
  /** Positions that it has room for. */
  readonly room: number;
  /** One for each state. */
  readonly buffers: readonly GPUBuffer[];
  /** Place of a state. */
  at(index: number): Parts;
  /** Prevents freeing while `use` runs. */
  hold<T>(use: () => T | Promise<T>): Promise<T>;
}

/** A sequence that steps in a group. */
export interface GroupMember extends Branch {
  readonly cache: WebgpuCache;
  /** Positions of the prefix that it reads. */
  readonly shared: number;
  /** Positions of its own, after those. */
  readonly own: number;
  group: BranchGroup | null;
  /** Call before a step: after truncation into the prefix, shares fewer positions. */
  settle(): void;
  /** Place of its own positions of a state, or of the state itself. */
  placeOf(index: number): Parts;
}

/** A member, and the member whose own positions it copies. */
type Seat = { readonly member: GroupMember; readonly source: GroupMember | null };

export class BranchGroup {
  /** Commands of its steps, valid until its memory moves. */
  commands: BoundCommands | null = null;
  readonly prefix: GroupPrefix;
  /** The member in each row. */
  #rows: (GroupMember | null)[] = [];
  #block = new CacheBlock([], 0);
  #room = LEAST_ROOM;
  /** Buffers for writing states without positions, `null` for other states. */
  #next: readonly (GPUBuffer | null)[] = [];
  #inputs: BranchInputs | null = null;

  constructor(prefix: GroupPrefix) {
    this.prefix = prefix;
  }

  get members(): GroupMember[] {
    return this.#rows.filter((member) => member !== null);
  }

  get place(): CachePlacement {
    return { block: this.#block, first: 0, rows: this.#rows.length };
  }

  /** Shape of its steps. */
  get shape(): StepShape {
    const rows = this.#rows.length;
    const [prefix, room] = [this.prefix.room, this.#room];
    return { rows, length: 1, logits: rows, totalLength: 0, prefix, room };
  }

  /** Whether every member has room for one more position. */
  get hasRoom(): boolean {
    return this.members.every(({ own }) => own < this.#room);
  }

  /** Number of the shape, unique among all groups of a program. */
  get shapeId(): number {
    const rows = Math.log2(this.#rows.length);
    return ((this.prefix.room / 128) * 32 + Math.log2(this.#room)) * 16 + rows;
  }

  get inputs(): GPUBuffer {
    return (this.#inputs as BranchInputs).buffer;
  }

  /** Place of each graph input. */
  placements(): { readonly [name: string]: Placement } {
    const named: { [name: string]: Placement } = { ...this.#inputs?.placements };
    for (const [index, state] of this.prefix.options.states.entries()) {
      const { key, value } = prefixNames(state.layer);
      const name = state.past.endsWith(".key") ? key : value;
      named[state.past] = { buffer: this.#block.buffers[index] as GPUBuffer, offset: 0 };
      const buffer = (this.#next[index] ?? this.prefix.buffers[index]) as GPUBuffer;
      named[hasPositions(state) ? name : state.present] = { buffer, offset: 0 };
    }
    return named;
  }

  rowOf(cache: WebgpuCache): number {
    return this.#rows.findIndex((member) => member?.cache === cache);
  }

  /** Place of a member's own positions of a state. */
  placeOf({ cache }: GroupMember, index: number): Parts {
    return this.#at(this.rowOf(cache), index);
  }

  /** @param source - member of this prefix whose own positions the new ones copy, `null` for none. */
  async admit(coming: readonly GroupMember[], source: GroupMember | null): Promise<void> {
    const free = [...this.#rows.keys()].filter((row) => this.#rows[row] === null);
    const { canGoBack } = this.prefix.options.caches;
    if (source === null && canGoBack && free.length >= coming.length) {
      for (const [order, member] of coming.entries()) {
        this.#rows[free[order] as number] = member;
        member.group = this;
      }
      return;
    }
    await this.#move([...this.#staying, ...coming.map((member) => ({ member, source }))]);
  }

  dismiss(member: GroupMember): void {
    this.#rows[this.rowOf(member.cache)] = null;
    member.group = null;
  }

  /** Makes room for one more position of every member, and drops rows if half of them are idle. */
  async fit(): Promise<void> {
    const isIdle = this.members.length * 2 <= this.#rows.length;
    if (isIdle || !this.hasRoom) await this.#move(this.#staying);
  }

  /** Writes the inputs of the next step. @param tokenIds - `[rows]`, 0 for idle rows. */
  write(tokenIds: ArrayLike<number>): void {
    const inputs = this.#inputs as BranchInputs;
    for (const [row, member] of this.#rows.entries()) {
      member?.settle();
      inputs.set(row, tokenIds[row] as number, member?.shared ?? 0, member?.own ?? 0);
    }
    inputs.write();
  }

  /**
   * Moves states without positions to where the next step reads them. @param rows - those that
   * stepped.
   */
  settleFixedStates(encoder: GPUCommandEncoder, rows: readonly number[]): void {
    for (const [index, next] of this.#next.entries()) {
      if (next === null) continue;
      const layout = this.prefix.options.caches.layouts[index] as StateLayout;
      for (const row of rows) {
        const to = this.#at(row, index);
        copyParts(encoder, { ...to, buffer: next }, to, 0, layout);
      }
    }
  }

  free(): void {
    for (const buffer of this.#block.buffers) buffer.destroy();
    for (const buffer of this.#next) buffer?.destroy();
    this.#inputs?.buffer.destroy();
  }

  get #staying(): Seat[] {
    return this.members.map((member) => ({ member, source: member }));
  }

  #at(row: number, index: number): Parts {
    const layout = this.prefix.options.caches.layouts[index] as StateLayout;
    return {
      buffer: this.#block.buffers[index] as GPUBuffer,
      at: row * bytesFor(layout, this.#room),
      stride: this.#room * layout.innerBytes,
    };
  }

  /** Copies everything to new memory, because WebGPU cannot copy a buffer into itself. */
  async #move(seats: readonly Seat[]): Promise<void> {
    const { memory, caches, states } = this.prefix.options;
    const { layouts } = caches;
    let rows = 1;
    while (rows < seats.length) rows *= 2;
    let room = this.#room;
    while (seats.some(({ member }) => member.own >= room)) room *= 2;
    const sizes = layouts.map((layout) => rows * bytesFor(layout, room));
    const buffers = await memory.allocate("caches", sizes);
    const moves = seats
      .filter(({ member }) => member.cache.branch === member) // not disposed of meanwhile
      .map(({ member, source }) => ({
        member,
        from: layouts.map((_, index) => source?.placeOf(index) ?? this.prefix.at(index)),
      }));
    const before = [...this.#block.buffers, ...this.#next, this.#inputs?.buffer];
    this.#room = room;
    this.#block = new CacheBlock(buffers, 0);
    this.#rows = Array.from({ length: rows }, (_, row) => moves[row]?.member ?? null);
    this.#next = layouts.map(({ outer, rowBytes }) =>
      outer === 0 ? memory.create("scratch", rows * rowBytes) : null,
    );
    const heads = Math.max(...layouts.map(({ outer }) => outer));
    const window = Math.max(...states.map((state) => state.window ?? 0));
    this.#inputs = new BranchInputs(memory, rows, heads, this.prefix.room, room, window);
    this.commands = null;
    const encoder = memory.device.createCommandEncoder();
    for (const [row, { member, from }] of moves.entries()) {
      member.group = this;
      for (const [index, layout] of layouts.entries()) {
        copyParts(encoder, from[index] as Parts, this.#at(row, index), member.own, layout);
      }
    }
    memory.device.queue.submit([encoder.finish()]);
    for (const buffer of before) buffer?.destroy();
  }
}
