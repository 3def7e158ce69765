/**
 * Single logits that are needed by id (taken tokens, kept sets, candidates), as a list of (row, id) and
 * as picks of each tile of the vocabulary. Memory grows with the number of picks, not with rows ×
 * vocabulary.
 */
import type { IntegerTensor } from "../onnx-tensor.ts";

/** Entry i is logit `ids[i]` of row `rows[i]`. */
export type LogitList = { readonly rows: Int32Array; readonly ids: Int32Array };

/** The entries of a list that fall into one tile. */
export type TilePicks = {
  /** Places in the list, in order. Empty if the tile has none. */
  readonly entries: Int32Array;
  /** i64 `[P, 2]`, row and column within the tile; an empty tile has one unused pick. */
  readonly feed: IntegerTensor;
};

/** @param tileWidth columns of a tile; the last tile may be narrower. */
export function picksByTile(
  { rows, ids }: LogitList,
  tileWidth: number,
  tileCount: number,
): TilePicks[] {
  const tileOf = (entry: number): number => Math.floor((ids[entry] as number) / tileWidth);
  const counts = new Int32Array(tileCount);
  for (let entry = 0; entry < ids.length; entry++) {
    const tile = tileOf(entry);
    counts[tile] = (counts[tile] as number) + 1;
  }
  const entries = Array.from(counts, (count) => new Int32Array(count));
  counts.fill(0);
  for (let entry = 0; entry < ids.length; entry++) {
    const tile = tileOf(entry);
    (entries[tile] as Int32Array)[counts[tile] as number] = entry;
    counts[tile] = (counts[tile] as number) + 1;
  }
  return entries.map((list, tile) => {
    // little-endian i64: the lower half, then zero, as values are not negative
    const halves = new Int32Array(4 * Math.max(1, list.length));
    list.forEach((entry, place) => {
      halves[4 * place] = rows[entry] as number;
      halves[4 * place + 2] = (ids[entry] as number) - tile * tileWidth;
    });
    const data = new BigInt64Array(halves.buffer);
    return { entries: list, feed: { shape: [data.length / 2, 2], data } };
  });
}

/** Adds up values of equal (row, id), because each place may be written only once. Rows must ascend. */
export class LogitValues {
  readonly #rows: number[] = [];
  readonly #ids: number[] = [];
  readonly #values: number[] = [];
  readonly #places = new Map<number, number>();
  #row = -1;

  add(row: number, id: number, value: number): void {
    if (row !== this.#row) {
      this.#places.clear();
      this.#row = row;
    }
    const place = this.#places.get(id);
    if (place !== undefined) {
      this.#values[place] = (this.#values[place] as number) + value;
      return;
    }
    this.#places.set(id, this.#ids.length);
    this.#rows.push(row);
    this.#ids.push(id);
    this.#values.push(value);
  }

  list(): LogitList & { readonly values: Float32Array } {
    return {
      rows: Int32Array.from(this.#rows),
      ids: Int32Array.from(this.#ids),
      values: Float32Array.from(this.#values),
    };
  }
}
