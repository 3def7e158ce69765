/** Asynchronous work that must not overlap, in the order it was asked for. */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs `fn` after everything queued before, whether that succeeded or not. */
  run<T>(fn: () => Promise<T> | T): Promise<T> {
    const result = this.#tail.then(fn);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
