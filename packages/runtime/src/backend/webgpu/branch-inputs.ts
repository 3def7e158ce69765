/** The small inputs of a step of branches, in one buffer filled by a single write. */
import type { Placement } from "./command-tap.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { aligned } from "./step-inputs.ts";

/** Added to the scores of positions that do not count. */
const NOT_COUNTED = -1e9;

export class BranchInputs {
  readonly buffer: GPUBuffer;
  readonly placements: { readonly [name: string]: Placement };
  readonly #memory: GpuMemory;
  readonly #ints: Int32Array<ArrayBuffer>;
  readonly #floats: Float32Array;
  readonly #heads: number;
  readonly #prefixRoom: number;
  readonly #room: number;
  /** Offsets in words; tokens start at 0, then positions, slots and biases. */
  readonly #positionsAt: number;
  readonly #slotsAt: number;
  readonly #biasAt: number;
  readonly #slidingBiasAt: number;
  readonly #window: number;

  /**
   * @param heads - number of key-value heads.
   * @param room - own positions of each row.
   * @param window - positions that sliding layers attend to; 0 without any.
   */
  constructor(
    memory: GpuMemory,
    rows: number,
    heads: number,
    prefixRoom: number,
    room: number,
    window: number,
  ) {
    this.#memory = memory;
    this.#window = window;
    this.#heads = heads;
    this.#prefixRoom = prefixRoom;
    this.#room = room;
    const section = (words: number): number => aligned(words * 4) / 4;
    const logitRowsAt = section(rows);
    this.#positionsAt = logitRowsAt + section(rows);
    this.#slotsAt = this.#positionsAt + section(rows);
    this.#biasAt = this.#slotsAt + section(rows * heads * 3);
    const biases = section(rows * (prefixRoom + room));
    this.#slidingBiasAt = this.#biasAt + biases;
    this.#ints = new Int32Array(this.#slidingBiasAt + (window > 0 ? biases : 0));
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
      sliding_bias: at(this.#slidingBiasAt),
      // Read on the host and not bound.
      prefix_length: at(0),
    };
  }

  /**
   * @param shared - positions of the prefix that count. @param own - own positions before the
   * token.
   */
  set(slot: number, tokenId: number, shared: number, own: number): void {
    const ints = this.#ints;
    ints[slot] = tokenId;
    ints[this.#positionsAt + slot] = shared + own;
    for (let head = 0; head < this.#heads; head++) {
      ints.set([slot, head, own], this.#slotsAt + 3 * (slot * this.#heads + head));
    }
    this.#setBias(this.#biasAt, slot, shared, own, 0);
    const first = shared + own + 1 - this.#window;
    if (this.#window > 0) this.#setBias(this.#slidingBiasAt, slot, shared, own, Math.max(0, first));
  }

  /** @param from - the first position that counts. */
  #setBias(at: number, slot: number, shared: number, own: number, from: number): void {
    const width = this.#prefixRoom + this.#room;
    const row = at + slot * width;
    const rest = row + this.#prefixRoom;
    this.#floats.fill(NOT_COUNTED, row, row + width);
    this.#floats.fill(0, row + from, row + Math.max(from, shared));
    this.#floats.fill(0, rest + Math.max(0, from - shared), rest + own + 1);
  }

  write(): void {
    this.#memory.device.queue.writeBuffer(this.buffer, 0, this.#ints);
  }
}
