/** Reads a sequence up to a length without sampling, as a group does once for all its members. */
import type { RowOutput } from "../backend/decoder-backend.ts";
import type { ResidentAdapter } from "./decoder-device.ts";
import { Job, NO_OUTPUT } from "./job.ts";
import type { Sequence } from "./sequence.ts";

export class Reading extends Job {
  readonly #length: number;
  readonly #signal: AbortSignal | undefined;
  readonly #done: PromiseWithResolvers<void> = Promise.withResolvers();

  /** @param length - number of tokens of the sequence to read. */
  constructor(
    resident: ResidentAdapter,
    sequence: Sequence,
    length: number,
    signal: AbortSignal | undefined,
  ) {
    super(resident, sequence);
    this.#length = length;
    this.#signal = signal;
  }

  /** Rejects with the signal's reason after an abort. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  unread(): number {
    if (this.#signal?.aborted) return 0;
    return Math.max(0, this.#length - (this.sequence.cache?.length ?? 0));
  }

  take(): void {
    // No output was requested.
  }

  settle(): void {
    if (this.#signal?.aborted) this.#done.reject(this.#signal.reason);
    else this.#done.resolve();
  }

  fail(error: unknown): void {
    this.#done.reject(error);
  }

  protected outputFor(): RowOutput {
    return NO_OUTPUT;
  }
}
