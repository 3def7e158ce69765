/** The parameters with which a run's policy samples: the newest, or those of some updates ago. */
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import type { RunParts } from "./run-options.ts";
import { adapterOf } from "../update/adapter-tensors.ts";

type Saved = { readonly snapshots: readonly TensorMap[]; readonly version: number };

/** Recent parameters of a run, with which its policy samples. */
export class PolicyVersions {
  readonly #parts: Pick<RunParts, "policy" | "adapterShape">;
  /** Parameters after each update, newest last. */
  #snapshots: readonly TensorMap[];
  #count: number;

  constructor(parts: Pick<RunParts, "policy" | "adapterShape">, saved: Saved) {
    this.#parts = parts;
    this.#snapshots = saved.snapshots;
    this.#count = saved.version;
  }

  /** How often the policy was given parameters. */
  get count(): number {
    return this.#count;
  }

  get snapshots(): readonly TensorMap[] {
    return this.#snapshots;
  }

  /** Replaces all stored parameters with these. */
  hold(...snapshots: readonly TensorMap[]): void {
    this.#snapshots = snapshots;
  }

  /** Replaces all stored parameters with the engine's current ones. */
  async holdFrom(engine: Pick<TrainEngine, "parameters">): Promise<void> {
    this.hold(adapterOf(await engine.parameters()));
  }

  /** Adds the parameters of the newest update. */
  add(tensors: TensorMap): void {
    this.#snapshots = [...this.#snapshots, tensors];
  }

  /** Keeps only the parameters of the newest `updates` updates and the ones before them. */
  keep(updates: number): void {
    this.#snapshots = this.#snapshots.slice(-(updates + 1));
  }

  /**
   * Gives the policy its parameters for a step. The initial parameters count as a version: with staleness
   * of one, the second step samples from them.
   */
  async begin(engine: Pick<TrainEngine, "parameters">, staleness: number): Promise<void> {
    if (this.#snapshots.length === 0) await this.holdFrom(engine);
    await this.adopt(staleness);
  }

  /** Gives the policy the parameters of `staleness` updates ago. */
  async adopt(staleness: number): Promise<void> {
    const tensors = this.#snapshots.at(-1 - staleness) ?? this.#snapshots[0];
    this.#count += 1;
    await this.#parts.policy.setAdapter(
      this.#count,
      tensors === undefined ? null : { ...this.#parts.adapterShape, tensors },
    );
  }
}
