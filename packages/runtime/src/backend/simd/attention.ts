/** Grouped-query attention of one token to its sequence's earlier positions and itself. */
import type { DecoderConfig } from "@waggle/model";
import { ADD_STEP, FLOAT_STEP } from "./kernel-steps.ts";
import type { FloatRows } from "./float-rows.ts";
import { PAGE_POSITIONS } from "./key-value-pages.ts";
import type { KeyValuePages, PagedSequence } from "./key-value-pages.ts";
import type { SimdMemory } from "./simd-memory.ts";

/** Rows of keys that a product takes at a time. */
const KEY_TILE = 4;

export class Attention {
  readonly sizeBytes: number;
  readonly #memory: SimdMemory;
  readonly #config: DecoderConfig;
  /** Scores of the heads that share keys, `[heads / kvHeads, positions]`. */
  readonly #scores: FloatRows;

  constructor(memory: SimdMemory, config: DecoderConfig, maxPositions: number) {
    this.#memory = memory;
    this.#config = config;
    const stride = 4 * Math.ceil(maxPositions / PAGE_POSITIONS) * PAGE_POSITIONS;
    this.sizeBytes = (stride * config.heads) / config.keyValueHeads;
    this.#scores = { at: memory.allocate(this.sizeBytes), stride };
  }

  /** Copies the keys or values of one token, `[kvHeads, D]`, to its place. */
  keep(
    store: KeyValuePages,
    { pages }: PagedSequence,
    place: { readonly layer: number; readonly side: 0 | 1; readonly position: number },
    from: number,
  ): void {
    const { keyValueHeads, headSize } = this.#config;
    const page = pages[Math.floor(place.position / PAGE_POSITIONS)];
    if (page === undefined) return;
    const { floats } = this.#memory;
    for (let head = 0; head < keyValueHeads; head++) {
      const to = store.place(page, place.layer, place.side, head) / 4;
      const start = from / 4 + head * headSize;
      const row = to + (place.position % PAGE_POSITIONS) * headSize;
      floats.copyWithin(row, start, start + headSize);
    }
  }

  /**
   * @param query - address of the token's queries `[heads, D]`.
   * @param to - address of the heads' outputs `[heads, D]`.
   * @param count - positions to attend to, including its own.
   */
  attend(
    store: KeyValuePages,
    { pages }: PagedSequence,
    layer: number,
    query: number,
    to: number,
    count: number,
  ): void {
    const { heads, keyValueHeads, headSize, queryScalar = headSize } = this.#config;
    const { kernels, floats } = this.#memory;
    const { at, stride } = this.#scores;
    const shared = heads / keyValueHeads;
    const rowBytes = 4 * headSize;
    const scale = 1 / Math.sqrt(queryScalar);
    floats.fill(0, to / 4, to / 4 + heads * headSize);
    for (let head = 0; head < keyValueHeads; head++) {
      const from = query + head * shared * rowBytes;
      for (let first = 0; first < count; first += PAGE_POSITIONS) {
        const page = pages[first / PAGE_POSITIONS];
        if (page === undefined) return;
        const keys = store.place(page, layer, 0, head);
        const tiles = Math.ceil(Math.min(PAGE_POSITIONS, count - first) / KEY_TILE);
        const scores = at + 4 * first;
        const steps = headSize / FLOAT_STEP;
        kernels.multiply1x4(from, rowBytes, keys, rowBytes, scores, stride, steps, shared, tiles);
      }
      for (let one = 0; one < shared; one++) {
        const scores = at + one * stride;
        softmax(floats, scores / 4, count, scale);
        const output = to + (head * shared + one) * rowBytes;
        for (let first = 0; first < count; first += PAGE_POSITIONS) {
          const page = pages[first / PAGE_POSITIONS];
          if (page === undefined) return;
          const values = store.place(page, layer, 1, head);
          const rows = Math.min(PAGE_POSITIONS, count - first);
          kernels.addRows(scores + 4 * first, values, rowBytes, output, rows, headSize / ADD_STEP);
        }
      }
    }
  }
}

/** Replaces scores by the softmax of `scale` · scores. */
function softmax(floats: Float32Array, from: number, count: number, scale: number): void {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = from; i < from + count; i++) largest = Math.max(largest, floats[i] as number);
  let sum = 0;
  for (let i = from; i < from + count; i++) {
    const share = Math.exp(scale * ((floats[i] as number) - largest));
    floats[i] = share;
    sum += share;
  }
  for (let i = from; i < from + count; i++) floats[i] = (floats[i] as number) / sum;
}
