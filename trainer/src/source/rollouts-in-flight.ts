/**
 * A source that keeps rollouts in flight, also while a step is taken, and the check that collects those that
 * ended into batches. `rollout-flow.ts` of learning decides how many may run and which are too old. The caller
 * supplies the rollout.
 */
import { afterFlowEvent, beginnable, canLearn, flowVersion, rolloutFlow } from "@waggle/learning";
import type { FlowEvent, FlowLimits, RolloutFlow } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import type { Check, Source } from "../training/train.ts";

/** The result of one rollout. */
export type Rolled<T> = {
  readonly value: T;
  /** Version of its oldest token. */
  readonly oldest: number;
};

/**
 * One rollout. After a `retryable` failure, another one begins; any other error ends the run.
 * @param version - steps published so far.
 */
export type RollOut<T> = (id: number, version: number, signal: AbortSignal) => Promise<Rolled<T>>;

type Ended<T> = { readonly id: number; readonly rolled: Rolled<T> };

/** The rollouts that run and those that ended. */
export class RolloutsInFlight<T> {
  /** Steps for which rollouts are needed. */
  readonly #steps: number;
  readonly #rollOut: RollOut<T>;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Ended rollouts that the loop has not asked for yet. */
  readonly #arrived: Ended<T>[] = [];
  /** Ended rollouts that the loop has, by their ids. */
  readonly #held = new Map<number, Rolled<T>>();
  readonly #wake = (): void => this.#news.resolve();
  #flow: RolloutFlow;
  #failuresInARow = 0;
  #failure: { readonly error: unknown } | null = null;
  #news = Promise.withResolvers<void>();

  constructor(limits: FlowLimits, steps: number, rollOut: RollOut<T>, signal: AbortSignal) {
    this.#flow = rolloutFlow(limits);
    this.#steps = steps;
    this.#rollOut = rollOut;
    this.#signal = signal;
    signal.addEventListener("abort", this.#wake);
  }

  get flow(): RolloutFlow {
    return this.#flow;
  }

  /** @throws the reason of an abort, or the error of a rollout that ends the run. */
  throwIfEnded(): void {
    this.#signal.throwIfAborted();
    if (this.#failure !== null) throw this.#failure.error;
  }

  /** Starts rollouts as far as the limits allow and waits for one to end. */
  readonly source: Source<Ended<T>> = {
    next: async () => {
      this.#fill();
      if (this.#arrived.length === 0) {
        await this.#news.promise;
        this.#news = Promise.withResolvers();
      }
      return this.#arrived.shift() ?? null;
    },
  };

  /** Its batch is the oldest rollouts. A step must end with `published`. */
  readonly check: Check<Ended<T>, readonly Rolled<T>[]> = {
    admit: async ({ id, rolled }) => {
      this.#held.set(id, rolled);
    },
    isDue: async () => this.#arrived.length === 0 && canLearn(this.#flow),
    batch: async () => {
      this.#after({ kind: "learn" });
      const { learning } = this.#flow;
      return learning.map(({ id }) => this.#held.get(id) as Rolled<T>);
    },
    wanted: () => this.#flow.limits.batchSize - this.#flow.waiting.length,
  };

  /** Counts the published version of a step. */
  published(): void {
    this.#after({ kind: "publish" });
    this.#fill();
  }

  /** Stops all rollouts and waits until they have ended. */
  async close(): Promise<void> {
    this.#signal.removeEventListener("abort", this.#wake);
    this.#stop.abort(this.#signal.reason);
    await Promise.all(this.#running);
  }

  #fill(): void {
    if (this.#failure !== null || this.#stop.signal.aborted || this.#signal.aborted) return;
    const { limits } = this.#flow;
    // Do not start rollouts that no remaining step would train on.
    const wanted = (): number =>
      this.#steps * limits.batchSize - this.#flow.capacity.accepted - this.#flow.running.length;
    while (beginnable(this.#flow) > 0 && wanted() > 0) {
      const id = this.#flow.counts.begun;
      this.#after({ kind: "begin", id });
      const run: Promise<void> = this.#begin(id).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }

  /** Never rejects; errors are stored for the loop. */
  async #begin(id: number): Promise<void> {
    try {
      const signal = AbortSignal.any([this.#signal, this.#stop.signal]);
      const rolled = await this.#rollOut(id, flowVersion(this.#flow), signal);
      this.#failuresInARow = 0;
      this.#arrived.push({ id, rolled });
      // The rollout may have sampled with a version before its publication was counted.
      const oldest = Math.min(rolled.oldest, flowVersion(this.#flow));
      this.#after({ kind: "end", id, oldest });
    } catch (error) {
      this.#failuresInARow += 1;
      const isTransient = WaggleError.is(error) && error.retryable;
      if (!isTransient || this.#failuresInARow > this.#flow.limits.mostRunning) {
        this.#failure ??= { error };
      } else {
        this.#after({ kind: "fail", id });
      }
    }
    // Also during a step, so that rollouts overlap with it.
    this.#fill();
    this.#news.resolve();
  }

  /** Discards the ended rollouts that have become too old. */
  #after(event: FlowEvent): void {
    this.#flow = afterFlowEvent(this.#flow, event);
    const kept = new Set([...this.#flow.waiting, ...this.#flow.learning].map(({ id }) => id));
    for (const id of this.#held.keys()) if (!kept.has(id)) this.#held.delete(id);
    const arrived = this.#arrived.splice(0);
    this.#arrived.push(...arrived.filter(({ id }) => kept.has(id)));
  }
}
