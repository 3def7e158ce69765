/**
 * Draws the tasks of a run: by seed, at the difficulty a step asks for, and by a filter's choice if
 * it has one.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import type { PartContext, Stage, StepSettings } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { derivedSeed } from "@waggle/protocol";

/** Number of candidate tasks from which a filter chooses one. */
const CANDIDATES = 4;

/** The seeded sequence of a run's tasks. */
export class TaskDraws {
  readonly #spec: EnvironmentSpec;
  readonly #seed: number;
  #count = 0;

  /** @param count - number of tasks drawn before */
  constructor(spec: EnvironmentSpec, seed: number, count = 0) {
    this.#spec = spec;
    this.#seed = seed;
    this.#count = count;
  }

  /** Number of tasks drawn so far. */
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
