/**
 * Runs the calls of one engine one after the other. Engines that share graphs share a lane, so their
 * calls are serialized too; each engine closes on its own.
 */
import { WaggleError } from "@waggle/protocol";

/** The last call of all queues on this lane. */
export type CallLane = { last: Promise<unknown> };

/** The calls of one engine, in order. */
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
        throw new WaggleError("DISPOSED", "the engine was called after dispose; create a new one");
      }
      return work();
    });
    this.#lane.last = result.catch(() => {});
    return result;
  }

  /** Runs `work` as the last call. A second `close` waits for the first and does not run its work. */
  close(work: () => Promise<void>): Promise<void> {
    this.#closing ??= this.run(() => {
      this.#isClosed = true;
      return work();
    });
    return this.#closing;
  }
}
