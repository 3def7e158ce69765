/** Tasks of a run in their order: by seed, of the difficulty that a step asks for, chosen where a filter chooses. */
import type { EnvironmentSpec } from "@waggle/environments";
import type { PartContext, Stage, StepSettings } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { derivedSeed } from "@waggle/protocol";

/** Tasks that a filter chooses one from. */
const CANDIDATES = 4;

export class TaskDraws {
  readonly #spec: EnvironmentSpec;
  readonly #seed: number;
  #count = 0;

  /** @param count - tasks that were drawn before. */
  constructor(spec: EnvironmentSpec, seed: number, count = 0) {
    this.#spec = spec;
    this.#seed = seed;
    this.#count = count;
  }

  /** Tasks drawn so far. */
  get count(): number {
    return this.#count;
  }

  next(
    { filters }: Stage,
    { difficulty, taskPool = Number.POSITIVE_INFINITY }: StepSettings,
    context: PartContext,
    count: number,
  ): readonly TaskReference[] {
    const { levels } = this.#spec;
    const hardest = difficulty === undefined ? levels : 1 + Math.floor(difficulty * (levels - 1));
    const chooser = filters.find(({ chooseTasks }) => chooseTasks !== undefined);
    const drawn = chooser === undefined ? count : CANDIDATES * count;
    const candidates = Array.from({ length: drawn }, () => {
      this.#count += 1;
      const task = this.#count % taskPool;
      return this.#spec.reference(derivedSeed(this.#seed, task, 0x7a), "train", task % hardest);
    });
    return chooser?.chooseTasks?.(candidates, count, context) ?? candidates;
  }
}
