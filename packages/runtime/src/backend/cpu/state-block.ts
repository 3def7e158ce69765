/**
 * Memory for the states of rows with equal capacity: one tensor `[R, …, capacity, …]` per state, rows
 * outermost, so that adjacent rows are one tensor at an offset. Filled from row 0 without gaps.
 * `row-store.ts` decides which rows belong here.
 */
import { stateShape } from "@waggle/model";
import type { CpuBuffer, CpuDevice, Operand } from "./cpu-device.ts";
import { rowBytes } from "./state-layout.ts";
import type { StateLayout } from "./state-layout.ts";

/** The occupant of a row, which is told its place. */
export interface RowOccupant {
  /** Positions in use. */
  readonly length: number;
  block: StateBlock | null;
  row: number;
}

export class StateBlock {
  readonly capacity: number;
  readonly occupants: RowOccupant[] = [];
  /** Changes when the memory moves, which invalidates earlier operands. */
  generation = 0;
  readonly #device: CpuDevice;
  readonly #layouts: readonly StateLayout[];
  #buffers: CpuBuffer[] = [];
  /** Buffers for writing states without positions, which cannot be read and written in place. */
  #written: (CpuBuffer | null)[] = [];
  #rows = 0;

  readonly #clearsRoom: boolean;

  /** @param clearsRoom - whether unused positions are read, and must therefore be 0 initially. */
  constructor(
    device: CpuDevice,
    layouts: readonly StateLayout[],
    capacity: number,
    clearsRoom = false,
  ) {
    this.#device = device;
    this.#layouts = layouts;
    this.capacity = capacity;
    this.#clearsRoom = clearsRoom;
  }

  get sizeBytes(): number {
    let sum = 0;
    for (const buffer of [...this.#buffers, ...this.#written]) sum += buffer?.sizeBytes ?? 0;
    return sum;
  }

  /** Makes room for `count` more rows; at least doubles if there is none. */
  reserve(count: number): void {
    const needed = this.occupants.length + count;
    if (needed > this.#rows) this.#resize(Math.max(needed, 2 * this.#rows));
  }

  /** Puts an occupant into the next row, with its states from elsewhere. */
  add(occupant: RowOccupant): void {
    this.reserve(1);
    const row = this.occupants.length;
    if (occupant.block === null) this.#clearFixed(row);
    else this.copyRow(occupant.block, occupant.row, row, occupant.length);
    occupant.block?.remove(occupant);
    this.occupants.push(occupant);
    occupant.block = this;
    occupant.row = row;
  }

  /** Frees its row and moves the last row there. */
  remove(occupant: RowOccupant): void {
    const last = this.occupants.pop() as RowOccupant;
    if (last !== occupant) {
      this.copyRow(this, last.row, occupant.row, last.length);
      this.occupants[occupant.row] = last;
      last.row = occupant.row;
    }
    occupant.block = null;
  }

  /** Exchanges two rows. */
  swap(a: number, b: number): void {
    if (a === b) return;
    const [first, second] = [this.occupants[a], this.occupants[b]] as [RowOccupant, RowOccupant];
    const spare = new StateBlock(this.#device, this.#layouts, this.capacity);
    spare.reserve(1);
    spare.copyRow(this, a, 0, first.length);
    this.copyRow(this, b, a, second.length);
    this.copyRow(spare, 0, b, first.length);
    spare.free();
    this.occupants[a] = second;
    this.occupants[b] = first;
    second.row = a;
    first.row = b;
  }

  /**
   * Copies `length` positions of a row, and its states without positions.
   *
   * @param begin - first position to copy.
   * @param at - first target position.
   */
  copyRow(
    from: StateBlock,
    source: number,
    target: number,
    length: number,
    begin = 0,
    at = 0,
  ): void {
    for (const [index, layout] of this.#layouts.entries()) {
      const sourceBytes = rowBytes(layout, from.capacity);
      const targetBytes = rowBytes(layout, this.capacity);
      const bytes = layout.innerBytes * (layout.hasPositions ? length : 1);
      for (let piece = 0; piece < layout.outer; piece++) {
        this.#buffer(index).copyFrom(
          from.#buffer(index),
          source * sourceBytes + (piece * sourceBytes) / layout.outer + begin * layout.innerBytes,
          target * targetBytes + (piece * targetBytes) / layout.outer + at * layout.innerBytes,
          bytes,
        );
      }
    }
  }

  /** A state of a row, `[outer, capacity, …]`. The view is valid until the next allocation or run. */
  rowFloats(index: number, row: number): Float32Array {
    const bytes = rowBytes(this.#layouts[index] as StateLayout, this.capacity);
    return this.#buffer(index).floats(row * bytes, bytes / 4);
  }

  /** The states of rows `[start, start + rows)` as inputs and outputs of a run. */
  operands(start: number, rows: number): { inputs: Operand[]; outputs: Operand[] } {
    const inputs: Operand[] = [];
    const outputs: Operand[] = [];
    for (const [index, layout] of this.#layouts.entries()) {
      const offset = start * rowBytes(layout, this.capacity);
      const { state } = layout;
      const common = { offset, type: state.dtype, shape: stateShape(state, rows, this.capacity) };
      const buffer = this.#buffer(index);
      inputs.push({ ...common, name: state.past, buffer });
      outputs.push({ ...common, name: state.present, buffer: this.#written[index] ?? buffer });
    }
    return { inputs, outputs };
  }

  /** After a run: moves states that were written elsewhere to their place. */
  settle(start: number, rows: number): void {
    for (const [index, written] of this.#written.entries()) {
      if (written === null) continue;
      const bytes = rowBytes(this.#layouts[index] as StateLayout, this.capacity);
      this.#buffer(index).copyFrom(written, start * bytes, start * bytes, rows * bytes);
    }
  }

  /** Resets the states without positions to those of an empty row. */
  clearFixedStates(occupant: RowOccupant): void {
    this.#clearFixed(occupant.row);
  }

  free(): void {
    for (const buffer of [...this.#buffers, ...this.#written]) buffer?.free();
    this.#buffers = [];
    this.#written = [];
    this.#rows = 0;
  }

  #buffer(index: number): CpuBuffer {
    return this.#buffers[index] as CpuBuffer;
  }

  #clearFixed(row: number): void {
    for (const [index, layout] of this.#layouts.entries()) {
      if (layout.hasPositions) continue;
      const bytes = rowBytes(layout, 1);
      this.#buffer(index).fill(0, row * bytes, bytes);
    }
  }

  /** Resizes one state after the other, so that old and new memory overlap as little as possible. */
  #resize(rows: number): void {
    const kept = this.occupants.length;
    // First, so that the block stays valid, at new places, if memory runs out midway.
    this.generation++;
    for (const [index, layout] of this.#layouts.entries()) {
      const bytes = rowBytes(layout, this.capacity);
      const old = this.#buffers[index];
      const buffer = this.#device.allocate(rows * bytes);
      if (old !== undefined) buffer.copyFrom(old, 0, 0, kept * bytes);
      if (this.#clearsRoom) buffer.fill(0, kept * bytes, (rows - kept) * bytes);
      old?.free();
      this.#buffers[index] = buffer;
      this.#written[index]?.free();
      this.#written[index] = null;
      if (!layout.hasPositions) this.#written[index] = this.#device.allocate(rows * bytes);
    }
    this.#rows = rows;
  }
}
