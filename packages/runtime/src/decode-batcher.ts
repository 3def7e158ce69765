/**
 * Puts the next tokens of contexts that sample at the same time into one run. Contexts come and go
 * by themselves; one that is alone is not delayed.
 */
import type { DecoderCache, DecoderOutput, DecoderSession } from "./decoder-session.ts";
import type { SerialQueue } from "./serial-queue.ts";

type Waiting = {
  readonly tokenId: number;
  readonly cache: DecoderCache;
  readonly resolve: (output: DecoderOutput) => void;
  readonly reject: (error: unknown) => void;
};

export class DecodeBatcher {
  /** Contexts of this version that are sampling now. */
  samplings = 0;
  readonly #session: DecoderSession;
  readonly #runs: SerialQueue;
  readonly #nextTask: () => Promise<void>;
  #waiting: Waiting[] = [];
  #isScheduled = false;

  /** @param nextTask - resolves after the event loop had a turn. */
  constructor(session: DecoderSession, runs: SerialQueue, nextTask: () => Promise<void>) {
    this.#session = session;
    this.#runs = runs;
    this.#nextTask = nextTask;
  }

  /** Reads one token after `cache`, which is used up. The logits are `[1, V]`. */
  decode(tokenId: number, cache: DecoderCache): Promise<DecoderOutput> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tokenId, cache, resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void this.#runs.run(() => this.#runWaiting());
  }

  async #runWaiting(): Promise<void> {
    // Contexts that were in the last run are about to ask again: they get until the next task.
    if (this.#waiting.length < this.samplings) await this.#nextTask();
    const rows = this.#waiting.splice(0, this.#session.maxRows);
    this.#isScheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
    try {
      const outputs = await this.#session.decodeRows(rows);
      for (const [index, { resolve }] of rows.entries()) resolve(outputs[index] as DecoderOutput);
    } catch (error) {
      for (const { reject } of rows) reject(error);
    }
  }
}
