/**
 * Sequences that share what they begin with: keys and values of that once, and of each sequence what
 * comes after. Memory and inputs of their steps; it runs nothing. It frees itself with its last
 * member.
 */
import { prefixNames } from "@waggle/model";
import type { DecoderState } from "@waggle/model";
import { CacheBlock } from "./cache-rows.ts";
import type { Branch, CachePlacement, StateLayout, WebgpuCache } from "./cache-rows.ts";
import type { BoundCommands, Placement } from "./command-tap.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { aligned } from "./step-inputs.ts";
import type { StepShape } from "./step-inputs.ts";

/** Own positions of a new group; doubled as they fill, as each room is a shape of its own. */
const LEAST_ROOM = 32;
const LEAST_PREFIX_ROOM = 128;

/** Added to the scores of positions that do not count. */
const NOT_COUNTED = -1e9;

type BranchGroupOptions = {
  readonly memory: GpuMemory;
  readonly states: readonly DecoderState[];
  readonly layouts: readonly StateLayout[];
  readonly onFree: (group: BranchGroup) => void;
};

export class BranchGroup {
  /** Positions that all have. */
  readonly shared: number;
  /** Commands of its steps, until its memory moves. */
  commands: BoundCommands | null = null;
  readonly #options: BranchGroupOptions;
  readonly #prefix: readonly GPUBuffer[];
  readonly #prefixRoom: number;
  #members: (WebgpuCache | null)[] = [];
  #block = new CacheBlock([], 0);
  #room = 0;
  #inputs: BranchInputs | null = null;
  /** A run under way; nothing is freed before it ends. */
  #isHeld = false;

  /**
   * @param caches - of one row, neither of them a branch: they become branches.
   * @throws WaggleError `OUT_OF_MEMORY`.
   */
  static async of(
    caches: readonly WebgpuCache[],
    options: BranchGroupOptions,
  ): Promise<BranchGroup> {
    const shared = Math.min(...caches.map(({ length }) => length));
    const room = prefixRoomFor(shared);
    const sizes = options.layouts.map(({ outer, innerBytes }) => outer * room * innerBytes);
    const prefix = await options.memory.allocate("caches", sizes);
    const group = new BranchGroup(options, shared, prefix, room);
    try {
      await group.#join(caches);
    } catch (error) {
      group.free();
      throw error;
    }
    return group;
  }

  private constructor(
    options: BranchGroupOptions,
    shared: number,
    prefix: readonly GPUBuffer[],
    prefixRoom: number,
  ) {
    this.#options = options;
    this.shared = shared;
    this.#prefix = prefix;
    this.#prefixRoom = prefixRoom;
  }

  get size(): number {
    return this.#present.length;
  }

  get place(): CachePlacement {
    return { block: this.#block, first: 0, rows: this.#members.length };
  }

  /** Of its steps. */
  get shape(): StepShape {
    const rows = this.#members.length;
    const [prefix, room] = [this.#prefixRoom, this.#room];
    return { rows, length: 1, logits: rows, totalLength: 0, prefix, room };
  }

  /** Whether every member has room for one more position. */
  get hasRoom(): boolean {
    return this.#present.every((cache) => this.#ownOf(cache) < this.#room);
  }

  /** Number of the shape, of all groups of a program. */
  get shapeId(): number {
    const rows = Math.log2(this.#members.length);
    return ((this.#prefixRoom / LEAST_PREFIX_ROOM) * 32 + Math.log2(this.#room)) * 16 + rows;
  }

  get inputs(): GPUBuffer {
    return (this.#inputs as BranchInputs).buffer;
  }

  /** Where each graph input is. */
  placements(): { readonly [name: string]: Placement } {
    const named: { [name: string]: Placement } = { ...this.#inputs?.placements };
    for (const [index, { past, layer }] of this.#options.states.entries()) {
      const { key, value } = prefixNames(layer);
      const name = past.endsWith(".key") ? key : value;
      named[name] = { buffer: this.#prefix[index] as GPUBuffer, offset: 0 };
      named[past] = { buffer: this.#block.buffers[index] as GPUBuffer, offset: 0 };
    }
    return named;
  }

  slotOf(cache: WebgpuCache): number {
    return this.#members.indexOf(cache);
  }

  /** Makes room for a position of every member, and gives up rows where half of them are idle. */
  async fit(): Promise<void> {
    let rows = this.#members.length;
    while (this.size * 2 <= rows) rows /= 2;
    const room = this.hasRoom ? this.#room : this.#room * 2;
    if (rows !== this.#members.length || room !== this.#room) await this.#resize(rows, room);
  }

  /** Writes the inputs of the next step. @param tokenIds - `[rows]`, 0 for idle rows. */
  write(tokenIds: ArrayLike<number>): void {
    const inputs = this.#inputs as BranchInputs;
    for (const [slot, cache] of this.#members.entries()) {
      const own = cache === null ? 0 : this.#ownOf(cache);
      inputs.set(slot, tokenIds[slot] as number, this.shared, own);
    }
    inputs.write();
  }

  hold(): void {
    this.#isHeld = true;
  }

  unhold(): void {
    this.#isHeld = false;
    if (this.size === 0) this.free();
  }

  free(): void {
    for (const cache of this.#present) cache.branch = null;
    this.#members = [];
    for (const buffer of [...this.#prefix, ...this.#block.buffers]) buffer.destroy();
    this.#inputs?.buffer.destroy();
    this.#options.onFree(this);
  }

  get #present(): WebgpuCache[] {
    return this.#members.filter((cache) => cache !== null);
  }

  /** None where it went back to less than what is shared, and has not run since. */
  #ownOf({ length }: WebgpuCache): number {
    return Math.max(0, length - this.shared);
  }

  async #join(caches: readonly WebgpuCache[]): Promise<void> {
    let rows = 1;
    while (rows < caches.length) rows *= 2;
    let room = LEAST_ROOM;
    while (caches.some((cache) => this.#ownOf(cache) >= room)) room *= 2;
    await this.#resize(rows, room);
    const { memory, layouts } = this.#options;
    const encoder = memory.device.createCommandEncoder();
    const { block, row } = caches[0] as WebgpuCache;
    for (const [index, layout] of layouts.entries()) {
      const from = rowAt(block as CacheBlock, row, index, layout);
      const to = { buffer: this.#prefix[index] as GPUBuffer, at: 0, stride: 0 };
      to.stride = this.#prefixRoom * layout.innerBytes;
      copyParts(encoder, from, to, layout.outer, this.shared * layout.innerBytes);
      for (const [slot, cache] of caches.entries()) {
        const bytes = this.#ownOf(cache) * layout.innerBytes;
        const rest = { ...from, at: from.at + this.shared * layout.innerBytes };
        copyParts(encoder, rest, this.#slotAt(slot, index), layout.outer, bytes);
      }
    }
    memory.device.queue.submit([encoder.finish()]);
    for (const [slot, cache] of caches.entries()) {
      this.#members[slot] = cache;
      cache.branch = this.#branchOf(cache);
    }
  }

  #branchOf(cache: WebgpuCache): Branch {
    return {
      shared: this.shared,
      copyTo: (encoder, target, row) => {
        const slot = this.slotOf(cache);
        for (const [index, layout] of this.#options.layouts.entries()) {
          const { outer, innerBytes } = layout;
          const to = rowAt(target, row, index, layout);
          const bytes = this.#ownOf(cache) * innerBytes;
          const rest = { ...to, at: to.at + this.shared * innerBytes };
          copyParts(encoder, this.#slotAt(slot, index), rest, outer, bytes);
        }
      },
      leave: () => {
        cache.branch = null;
        this.#members[this.slotOf(cache)] = null;
        if (this.size === 0 && !this.#isHeld) this.free();
      },
    };
  }

  #slotAt(slot: number, index: number): Parts {
    const { outer, innerBytes } = this.#options.layouts[index] as StateLayout;
    const stride = this.#room * innerBytes;
    return { buffer: this.#block.buffers[index] as GPUBuffer, at: slot * outer * stride, stride };
  }

  async #resize(rows: number, room: number): Promise<void> {
    const { memory, layouts } = this.#options;
    const sizes = layouts.map(({ outer, innerBytes }) => rows * outer * room * innerBytes);
    const buffers = await memory.allocate("caches", sizes);
    const before = { block: this.#block, members: this.#members, inputs: this.#inputs };
    const staying = this.#present;
    const encoder = memory.device.createCommandEncoder();
    const sources = layouts.map((_, index) =>
      staying.map((cache) => this.#slotAt(this.slotOf(cache), index)),
    );
    this.#room = room;
    this.#block = new CacheBlock(buffers, 0);
    this.#members = Array.from({ length: rows }, (_, slot) => staying[slot] ?? null);
    for (const [index, { outer, innerBytes }] of layouts.entries()) {
      for (const [slot, cache] of staying.entries()) {
        const from = sources[index]?.[slot] as Parts;
        const bytes = this.#ownOf(cache) * innerBytes;
        copyParts(encoder, from, this.#slotAt(slot, index), outer, bytes);
      }
    }
    memory.device.queue.submit([encoder.finish()]);
    for (const buffer of before.block.buffers) buffer.destroy();
    before.inputs?.buffer.destroy();
    const heads = layouts[0]?.outer ?? 1;
    this.#inputs = new BranchInputs(memory, rows, heads, this.#prefixRoom, room);
    this.commands = null;
  }
}

/** Inputs of a step, in one buffer that one write fills. */
class BranchInputs {
  readonly buffer: GPUBuffer;
  readonly placements: { readonly [name: string]: Placement };
  readonly #memory: GpuMemory;
  readonly #ints: Int32Array<ArrayBuffer>;
  readonly #floats: Float32Array;
  readonly #heads: number;
  readonly #prefixRoom: number;
  readonly #room: number;
  /** Words at which tokens (0), positions, slots and biases begin. */
  readonly #positionsAt: number;
  readonly #slotsAt: number;
  readonly #biasAt: number;

  constructor(memory: GpuMemory, rows: number, heads: number, prefixRoom: number, room: number) {
    this.#memory = memory;
    this.#heads = heads;
    this.#prefixRoom = prefixRoom;
    this.#room = room;
    const section = (words: number): number => aligned(words * 4) / 4;
    const logitRowsAt = section(rows);
    this.#positionsAt = logitRowsAt + section(rows);
    this.#slotsAt = this.#positionsAt + section(rows);
    this.#biasAt = this.#slotsAt + section(rows * heads * 3);
    this.#ints = new Int32Array(this.#biasAt + section(rows * (prefixRoom + room)));
    this.#floats = new Float32Array(this.#ints.buffer);
    for (let row = 0; row < rows; row++) this.#ints[logitRowsAt + row] = row;
    this.buffer = memory.create("scratch", this.#ints.byteLength);
    const at = (word: number): Placement => ({ buffer: this.buffer, offset: word * 4 });
    this.placements = {
      input_ids: at(0),
      logit_rows: at(logitRowsAt),
      positions: at(this.#positionsAt),
      slots: at(this.#slotsAt),
      bias: at(this.#biasAt),
      // Read on the host; nothing is bound there.
      prefix_length: at(0),
    };
  }

  set(slot: number, tokenId: number, shared: number, own: number): void {
    const ints = this.#ints;
    ints[slot] = tokenId;
    ints[this.#positionsAt + slot] = shared + own;
    for (let head = 0; head < this.#heads; head++) {
      ints.set([slot, head, own], this.#slotsAt + 3 * (slot * this.#heads + head));
    }
    const width = this.#prefixRoom + this.#room;
    const first = this.#biasAt + slot * width;
    this.#floats.fill(NOT_COUNTED, first, first + width);
    this.#floats.fill(0, first, first + shared);
    this.#floats.fill(0, first + this.#prefixRoom, first + this.#prefixRoom + own + 1);
  }

  write(): void {
    this.#memory.device.queue.writeBuffer(this.buffer, 0, this.#ints);
  }
}

/** Positions of one row, part by part: where the first begins, and how far the next is from it. */
type Parts = { readonly buffer: GPUBuffer; readonly at: number; stride: number };

function rowAt(
  { buffers }: CacheBlock,
  row: number,
  index: number,
  { rowBytes, outer }: StateLayout,
): Parts {
  return { buffer: buffers[index] as GPUBuffer, at: row * rowBytes, stride: rowBytes / outer };
}

function copyParts(
  encoder: GPUCommandEncoder,
  from: Parts,
  to: Parts,
  parts: number,
  bytes: number,
): void {
  if (bytes === 0) return;
  for (let part = 0; part < parts; part++) {
    const [source, target] = [from.at + part * from.stride, to.at + part * to.stride];
    encoder.copyBufferToBuffer(from.buffer, source, to.buffer, target, bytes);
  }
}

/** Four sizes for each doubling: every size is a shape of its own, and what is to spare costs time. */
function prefixRoomFor(length: number): number {
  const step = Math.max(LEAST_PREFIX_ROOM, 2 ** Math.floor(Math.log2(length)) / 4);
  return Math.ceil(length / step) * step;
}
