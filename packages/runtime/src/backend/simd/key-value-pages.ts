/**
 * Keys and values of sequences, in pages of some positions with all layers. Forks share pages; a
 * sequence copies a shared page before it writes to it.
 */
import type { DecoderConfig } from "@waggle/model";
import type { DecoderCache } from "../decoder-backend.ts";
import type { SimdMemory } from "./simd-memory.ts";

/** Positions of a page: a multiple of the rows of a product's tile. */
export const PAGE_POSITIONS = 32;

type Page = { readonly at: number; users: number };

/** The pages of one session. */
export class KeyValuePages {
  /** Bytes of one head's keys or values in a page. */
  readonly headBytes: number;
  readonly #memory: SimdMemory;
  readonly #keyValueHeads: number;
  readonly #pageBytes: number;
  readonly #sequences = new Set<PagedSequence>();
  #pages = 0;

  constructor(memory: SimdMemory, { layers, keyValueHeads, headSize }: DecoderConfig) {
    this.#memory = memory;
    this.#keyValueHeads = keyValueHeads;
    this.headBytes = 4 * PAGE_POSITIONS * headSize;
    this.#pageBytes = 2 * layers * keyValueHeads * this.headBytes;
  }

  get sizeBytes(): number {
    return this.#pages * this.#pageBytes;
  }

  create(): PagedSequence {
    return this.#keep(new PagedSequence(this, [], 0));
  }

  fork({ pages }: PagedSequence, length: number): PagedSequence {
    const shared = pages.slice(0, Math.ceil(length / PAGE_POSITIONS));
    for (const page of shared) page.users++;
    return this.#keep(new PagedSequence(this, shared, length));
  }

  /** Frees the pages of every sequence. */
  free(): void {
    for (const sequence of this.#sequences) sequence.dispose();
  }

  /** Address of a layer's keys (`side` 0) or values (1) of one head within a page. */
  place(page: Page, layer: number, side: 0 | 1, head: number): number {
    return page.at + ((2 * layer + side) * this.#keyValueHeads + head) * this.headBytes;
  }

  /** Makes room for `count` more positions, which nothing else shares. */
  reserve(pages: Page[], length: number, count: number): void {
    const last = pages[Math.floor(length / PAGE_POSITIONS)];
    if (last !== undefined && last.users > 1) {
      const copy = this.#allocate();
      const { floats } = this.#memory;
      floats.copyWithin(copy.at / 4, last.at / 4, (last.at + this.#pageBytes) / 4);
      last.users--;
      pages[pages.length - 1] = copy;
    }
    while (pages.length * PAGE_POSITIONS < length + count) pages.push(this.#allocate());
  }

  release(pages: readonly Page[]): void {
    for (const page of pages) {
      page.users--;
      if (page.users > 0) continue;
      this.#memory.free(page.at);
      this.#pages--;
    }
  }

  forget(sequence: PagedSequence): void {
    this.#sequences.delete(sequence);
  }

  #allocate(): Page {
    const at = this.#memory.allocate(this.#pageBytes);
    this.#pages++;
    return { at, users: 1 };
  }

  #keep(sequence: PagedSequence): PagedSequence {
    this.#sequences.add(sequence);
    return sequence;
  }
}

export class PagedSequence implements DecoderCache {
  length: number;
  readonly pages: Page[];
  readonly #store: KeyValuePages;

  constructor(store: KeyValuePages, pages: Page[], length: number) {
    this.#store = store;
    this.pages = pages;
    this.length = length;
  }

  /** Makes room for `count` more tokens. @throws WaggleError `OUT_OF_MEMORY` (retryable). */
  reserve(count: number): void {
    this.#store.reserve(this.pages, this.length, count);
  }

  truncate(length: number): void {
    this.length = Math.min(this.length, length);
    this.#store.release(this.pages.splice(Math.ceil(this.length / PAGE_POSITIONS)));
  }

  dispose(): void {
    this.truncate(0);
    this.#store.forget(this);
  }
}
