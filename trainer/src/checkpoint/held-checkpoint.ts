/**
 * The newest checkpoint of a running trainer. A checkpoint is durable before it becomes the newest.
 */
import type { Checkpoint, CheckpointStore } from "./checkpoint-store.ts";
import type { TrainerState } from "./trainer-state.ts";

export class HeldCheckpoint {
  readonly #store: CheckpointStore;
  #newest: Checkpoint;

  constructor(store: CheckpointStore, start: Checkpoint) {
    this.#store = store;
    this.#newest = start;
  }

  get newest(): Checkpoint {
    return this.#newest;
  }

  get state(): TrainerState {
    return this.#newest.state;
  }

  async commit(next: Checkpoint): Promise<void> {
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
