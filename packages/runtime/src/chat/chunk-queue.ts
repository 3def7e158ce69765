/** A stream of chunks with one writer and one reader. */

export class ChunkQueue<T> implements AsyncIterable<T> {
  readonly #waiting: T[] = [];
  readonly #abandon: () => void;
  #end: { readonly error?: unknown } | null = null;
  #wake: (() => void) | null = null;

  /** @param abandon - called when the reader leaves before the end. */
  constructor(abandon: () => void) {
    this.#abandon = abandon;
  }

  push(chunk: T): void {
    this.#waiting.push(chunk);
    this.#wake?.();
  }

  close(): void {
    this.#end ??= {};
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    try {
      for (;;) {
        while (this.#waiting.length > 0) yield this.#waiting.shift() as T;
        if (this.#end !== null) {
          if ("error" in this.#end) throw this.#end.error;
          return;
        }
        await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#wake = null;
      }
    } finally {
      if (this.#end === null) this.#abandon();
    }
  }
}
