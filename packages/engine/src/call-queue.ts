/** Calls of one engine run one after the other, so that none sees half of another's work. */
import { WaggleError } from "@waggle/protocol";

export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #closing: Promise<void> | undefined;

  /** Runs `work` after all calls before it. Rejects with `DISPOSED` once `close` has run. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      if (this.#isClosed) {
        throw new WaggleError(
          "DISPOSED",
          "an engine must not be used after dispose, got a call; create a new one",
        );
      }
      return work();
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Runs `work` as the last call. A second `close` waits for the first and runs nothing. */
  close(work: () => Promise<void>): Promise<void> {
    this.#closing ??= this.run(() => {
      this.#isClosed = true;
      return work();
    });
    return this.#closing;
  }
}
