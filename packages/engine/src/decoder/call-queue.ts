/**
 * Calls of one engine run one after the other, so that none sees half of another's work. Engines that
 * share graphs share a lane: their calls take turns too, and each engine closes for itself.
 */
import { WaggleError } from "@waggle/protocol";

/** The last call of all queues on it. */
export type CallLane = { last: Promise<unknown> };

export class CallQueue {
  readonly #lane: CallLane;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(lane: CallLane = { last: Promise.resolve() }) {
    this.#lane = lane;
  }

  /** Runs `work` after all calls before it. Rejects with `DISPOSED` once `close` has run. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lane.last.then(() => {
      if (this.#isClosed) {
        throw new WaggleError(
          "DISPOSED",
          "an engine must not be used after dispose, got a call; create a new one",
        );
      }
      return work();
    });
    this.#lane.last = result.catch(() => {});
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
