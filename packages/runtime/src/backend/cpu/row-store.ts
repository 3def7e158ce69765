/**
 * Places the rows of one session in blocks by capacity. A row's capacity doubles as it grows or,
 * where unused room costs time, grows by the least that is worth a move. Rows of one run are made
 * adjacent, and stay so while the same rows repeat.
 */
import type { CpuDevice } from "./cpu-device.ts";
import { StateBlock } from "./state-block.ts";
import type { RowOccupant } from "./state-block.ts";
import type { StateLayout } from "./state-layout.ts";

/** Positions of one sequence. It has no place before its first run. */
export class CacheRow implements RowOccupant {
  length = 0;
  block: StateBlock | null = null;
  row = 0;
}

/** Adjacent rows: row b of the run is at `start + b`. */
export type RowWindow = { readonly block: StateBlock; readonly start: number };

const SMALLEST_CAPACITY = 64;

/** To share a run with longer rows, a row may move to a block of at most this many times its room. */
const MOST_WASTE = 4;

type RowStoreOptions = {
  readonly device: CpuDevice;
  readonly layouts: readonly StateLayout[];
  /** Of one row. */
  readonly maxPositions: number;
  /** Called before a block's memory is freed. */
  readonly onFree: (block: StateBlock) => void;
  /** Positions by which room grows: the fewest worth a move. `null`: room doubles. */
  readonly growthStep: number | null;
  /** Whether unused positions are read, see `StateBlock`. Default false. */
  readonly clearsRoom?: boolean;
};

export class RowStore {
  /** Whether rows can be truncated, which states without positions prevent. */
  readonly canGoBack: boolean;
  readonly #options: RowStoreOptions;
  readonly #blocks = new Map<number, StateBlock>();

  constructor(options: RowStoreOptions) {
    this.#options = options;
    this.canGoBack = options.layouts.every((layout) => layout.hasPositions);
  }

  get sizeBytes(): number {
    let sum = 0;
    for (const block of this.#blocks.values()) sum += block.sizeBytes;
    return sum;
  }

  create(): CacheRow {
    return new CacheRow();
  }

  /** A row of `length` positions for the caller to write; without a place if that is 0. */
  createFilled(length: number): CacheRow {
    const row = this.create();
    if (length === 0) return row;
    this.#blockFor(length + 1).add(row);
    row.length = length;
    return row;
  }

  /**
   * A row with a copy of the first `length` positions, or an empty one if rows cannot be truncated.
   */
  fork(source: CacheRow, length: number): CacheRow {
    if (length < source.length && !this.canGoBack) return this.create();
    const fork = this.createFilled(length);
    fork.block?.copyRow(source.block as StateBlock, source.row, fork.row, length);
    return fork;
  }

  /**
   * Groups that can share a run: rows whose capacities differ by no more than the allowed waste.
   *
   * @param needed - `[B]` positions of each row after the run.
   * @returns indices, largest capacity first.
   */
  groups(rows: readonly CacheRow[], needed: readonly number[]): number[][] {
    const capacities = rows.map((row, index) =>
      Math.max(row.block?.capacity ?? 0, this.#capacityFor(needed[index] as number)),
    );
    const [first] = capacities;
    if (capacities.every((capacity) => capacity === first)) return [[...rows.keys()]];
    const order = [...rows.keys()].sort(
      (a, b) => (capacities[b] as number) - (capacities[a] as number) || a - b,
    );
    const groups: number[][] = [];
    let largest = 0;
    for (const index of order) {
      const capacity = capacities[index] as number;
      const group = groups.at(-1);
      if (group !== undefined && capacity * MOST_WASTE >= largest) group.push(index);
      else {
        groups.push([index]);
        largest = capacity;
      }
    }
    return groups;
  }

  /** Makes rows adjacent in a block with room for `positions`, and sorts them by place. */
  gather(rows: readonly CacheRow[], positions: number): RowWindow {
    let capacity = this.#capacityFor(positions);
    for (const row of rows) capacity = Math.max(capacity, row.block?.capacity ?? 0);
    const block = this.#blockOf(capacity);
    const missing = rows.filter((row) => row.block !== block);
    block.reserve(missing.length);
    for (const row of missing) {
      const previous = row.block;
      block.add(row);
      this.#freeIfEmpty(previous);
    }
    for (const row of rows) if (row.length === 0) block.clearFixedStates(row);
    return { block, start: this.#together(block, rows) };
  }

  free(): void {
    for (const block of this.#blocks.values()) this.#free(block);
  }

  /** @returns the first row of a window that then has exactly these rows. */
  #together(block: StateBlock, rows: readonly CacheRow[]): number {
    let low = block.occupants.length;
    let high = -1;
    for (const { row } of rows) {
      low = Math.min(low, row);
      high = Math.max(high, row);
    }
    if (high - low + 1 === rows.length) return low;
    const wanted = new Set<RowOccupant>(rows);
    const isIn = block.occupants.map((occupant) => wanted.has(occupant));
    const start = densestWindow(isIn, rows.length);
    const end = start + rows.length;
    const outside = rows.filter(({ row }) => row < start || row >= end);
    for (let row = start; row < end; row++) {
      if (!isIn[row]) block.swap(row, (outside.pop() as CacheRow).row);
    }
    return start;
  }

  #capacityFor(positions: number): number {
    const { growthStep } = this.#options;
    let capacity = growthStep ?? SMALLEST_CAPACITY;
    while (capacity < positions) capacity += growthStep ?? capacity;
    return Math.max(positions, Math.min(capacity, this.#options.maxPositions));
  }

  #blockFor(positions: number): StateBlock {
    return this.#blockOf(this.#capacityFor(positions));
  }

  #blockOf(capacity: number): StateBlock {
    let block = this.#blocks.get(capacity);
    if (block === undefined) {
      const { device, layouts, clearsRoom } = this.#options;
      block = new StateBlock(device, layouts, capacity, clearsRoom);
      this.#blocks.set(capacity, block);
    }
    return block;
  }

  /** Frees a row's place and empties it. */
  remove(row: CacheRow): void {
    const { block } = row;
    row.length = 0;
    if (block === null) return;
    block.remove(row);
    this.#freeIfEmpty(block);
  }

  #freeIfEmpty(block: StateBlock | null): void {
    if (block !== null && block.occupants.length === 0) this.#free(block);
  }

  #free(block: StateBlock): void {
    this.#options.onFree(block);
    block.free();
    this.#blocks.delete(block.capacity);
  }
}

/** The start of the window of `size` with the most members; the first among equals. */
function densestWindow(isIn: readonly boolean[], size: number): number {
  let inside = 0;
  for (let row = 0; row < size; row++) inside += isIn[row] ? 1 : 0;
  let most = inside;
  let best = 0;
  for (let start = 1; start + size <= isIn.length; start++) {
    inside += (isIn[start + size - 1] ? 1 : 0) - (isIn[start - 1] ? 1 : 0);
    if (inside > most) {
      most = inside;
      best = start;
    }
  }
  return best;
}
