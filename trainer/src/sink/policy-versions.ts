/** The parameters that a run's policy samples with: the newest, or those of some updates ago. */
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import type { RunParts } from "../loop/run-options.ts";
import { adapterOf } from "../update/adapter-tensors.ts";

type Saved = { readonly snapshots: readonly TensorMap[]; readonly version: number };

export class PolicyVersions {
  readonly #parts: Pick<RunParts, "policy" | "adapterShape">;
  /** After each update, newest last. */
  #snapshots: readonly TensorMap[];
  #count: number;

  constructor(parts: Pick<RunParts, "policy" | "adapterShape">, saved: Saved) {
    this.#parts = parts;
    this.#snapshots = saved.snapshots;
    this.#count = saved.version;
  }

  /** Times that the policy was given parameters. */
  get count(): number {
    return this.#count;
  }

  get snapshots(): readonly TensorMap[] {
    return this.#snapshots;
  }

  /** These alone from now on. */
  hold(...snapshots: readonly TensorMap[]): void {
    this.#snapshots = snapshots;
  }

  /** The engine's present parameters alone from now on. */
  async holdFrom(engine: Pick<TrainEngine, "parameters">): Promise<void> {
    this.hold(adapterOf(await engine.parameters()));
  }

  /** After an update, beside those of as many updates before. */
  add(tensors: TensorMap): void {
    this.#snapshots = [...this.#snapshots, tensors];
  }

  /** Forgets all but the newest of so many updates and the one before them. */
  keep(updates: number): void {
    this.#snapshots = this.#snapshots.slice(-(updates + 1));
  }

  /** Adopts for a step. The start is a version too: a policy that lags by one samples its second step from it. */
  async begin(engine: Pick<TrainEngine, "parameters">, lag: number): Promise<void> {
    if (this.#snapshots.length === 0) await this.holdFrom(engine);
    await this.adopt(lag);
  }

  /** Gives the policy the parameters of `lag` updates ago. */
  async adopt(lag: number): Promise<void> {
    const tensors = this.#snapshots.at(-1 - lag) ?? this.#snapshots[0];
    this.#count += 1;
    await this.#parts.policy.setAdapter(
      this.#count,
      tensors === undefined ? null : { ...this.#parts.adapterShape, tensors },
    );
  }
}
