/**
 * Runs rollouts and steps concurrently: starts rollouts as far as limits allow, steps as soon as a
 * batch is ready, and continues rolling out meanwhile. The caller supplies rollout and step;
 * `rollout-flow.ts` of learning decides what is allowed. All work has ended when it returns or throws.
 */
import { afterFlowEvent, beginnable, canLearn, flowVersion, rolloutFlow } from "@waggle/learning";
import type { FlowEvent, FlowLimits, RolloutFlow } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";

/** The result of one rollout. */
type Rolled<T> = {
  readonly value: T;
  /** Version of its oldest token. */
  readonly oldest: number;
};

/** The caller's rollout and learning step. */
export type OverlappedWork<T> = {
  /**
   * One rollout. After a `retryable` failure, another one begins; any other error ends the run.
   * @param version - steps published so far.
   */
  readonly rollOut: (id: number, version: number, signal: AbortSignal) => Promise<Rolled<T>>;
  /** One learning step. When it resolves, version `flow.capacity.version + 1` is published. */
  readonly learn: (batch: readonly Rolled<T>[], flow: RolloutFlow) => Promise<void>;
};

/** @returns the state after the last step, with the counts. */
export async function overlappedSteps<T>(
  limits: FlowLimits,
  steps: number,
  work: OverlappedWork<T>,
  signal: AbortSignal,
): Promise<RolloutFlow> {
  const overlap = new Overlap(limits, steps, work, signal);
  return overlap.run();
}

class Overlap<T> {
  readonly #steps: number;
  readonly #work: OverlappedWork<T>;
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #ended = new Map<number, Rolled<T>>();
  #flow: RolloutFlow;
  #failuresInARow = 0;
  #failure: { readonly error: unknown } | null = null;
  #news = Promise.withResolvers<void>();

  constructor(limits: FlowLimits, steps: number, work: OverlappedWork<T>, signal: AbortSignal) {
    this.#flow = rolloutFlow(limits);
    this.#steps = steps;
    this.#work = work;
    this.#signal = signal;
  }

  async run(): Promise<RolloutFlow> {
    const wake = (): void => this.#news.resolve();
    this.#signal.addEventListener("abort", wake);
    try {
      for (let step = 0; step < this.#steps; step += 1) {
        await this.#batch();
        this.#after({ kind: "learn" });
        const taken = this.#flow.learning.map(({ id }) => this.#ended.get(id) as Rolled<T>);
        await this.#work.learn(taken, this.#flow);
        this.#after({ kind: "publish" });
      }
      return this.#flow;
    } finally {
      this.#signal.removeEventListener("abort", wake);
      this.#stop.abort(this.#signal.reason);
      await Promise.all(this.#running);
    }
  }

  /** Waits for a full batch and starts rollouts whenever there is room. */
  async #batch(): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.#failure !== null) throw this.#failure.error;
      this.#fill();
      if (canLearn(this.#flow)) return;
      await this.#news.promise;
      this.#news = Promise.withResolvers();
    }
  }

  #fill(): void {
    if (this.#stop.signal.aborted || this.#signal.aborted) return;
    const { limits } = this.#flow;
    // Do not start rollouts that no remaining step would train on.
    const wanted = (): number =>
      this.#steps * limits.batchSize - this.#flow.capacity.accepted - this.#flow.running.length;
    while (beginnable(this.#flow) > 0 && wanted() > 0) {
      const id = this.#flow.counts.begun;
      this.#after({ kind: "begin", id });
      const run: Promise<void> = this.#rollOut(id).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }

  /** Never rejects; errors are stored for the loop. */
  async #rollOut(id: number): Promise<void> {
    try {
      const signal = AbortSignal.any([this.#signal, this.#stop.signal]);
      const rolled = await this.#work.rollOut(id, flowVersion(this.#flow), signal);
      this.#failuresInARow = 0;
      this.#ended.set(id, rolled);
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
    if (this.#failure === null) this.#fill();
    this.#news.resolve();
  }

  #after(event: FlowEvent): void {
    this.#flow = afterFlowEvent(this.#flow, event);
    const kept = new Set([...this.#flow.waiting, ...this.#flow.learning].map(({ id }) => id));
    for (const id of this.#ended.keys()) if (!kept.has(id)) this.#ended.delete(id);
  }
}
