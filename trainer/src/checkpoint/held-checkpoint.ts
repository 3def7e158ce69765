/**
 * The newest checkpoint of a running trainer. A checkpoint is durable before it becomes the newest.
 */
import type { TrainerCheckpoint, TrainerCheckpoints } from "./trainer-checkpoint.ts";
import type { TrainerState } from "./trainer-state.ts";

export class HeldCheckpoint {
  readonly #store: TrainerCheckpoints;
  #newest: TrainerCheckpoint;

  constructor(store: TrainerCheckpoints, start: TrainerCheckpoint) {
    this.#store = store;
    this.#newest = start;
  }

  get newest(): TrainerCheckpoint {
    return this.#newest;
  }

  get state(): TrainerState {
    return this.#newest.state;
  }

  async commit(next: TrainerCheckpoint): Promise<void> {
    await this.#store.commit(next);
    this.#newest = next;
  }

  commitState(state: TrainerState): Promise<void> {
    return this.commit({ ...this.#newest, state });
  }

  /** Written with the next commit; a crash before that loses it. */
  amendState(state: TrainerState): void {
    this.#newest = { ...this.#newest, state };
  }
}
