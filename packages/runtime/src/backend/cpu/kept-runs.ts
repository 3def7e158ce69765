/** Keeps bound single-token runs, so that groups that alternate stay bound. */
import type { SharedPrefix } from "./shared-prefix.ts";
import type { StateBlock } from "./state-block.ts";

/** The memory that a run is bound to. */
export type RunPlace = {
  readonly block: StateBlock;
  readonly start: number;
  /** B. */
  readonly rows: number;
  /** The rows' prefix, `null` without one. */
  readonly prefix: SharedPrefix | null;
};

/** A run bound to the memory of rows. */
export interface KeepableRun {
  readonly place: RunPlace;
  /** The block's generation when the run was bound. */
  readonly generation: number;
  readonly sizeBytes: number;
  release(): void;
}

const MOST_KEPT = 8;

/** A cache of bound runs. */
export class KeptRuns<R extends KeepableRun> {
  /** Least recently used first. */
  #runs: R[] = [];

  get sizeBytes(): number {
    return this.#runs.reduce((sum, run) => sum + run.sizeBytes, 0);
  }

  /** The most recently used run, if it is of that one row. */
  lastAt(block: StateBlock, row: number): R | null {
    const run = this.#runs.at(-1);
    if (run === undefined) return null;
    const { place, generation } = run;
    const isThere = place.block === block && place.start === row && place.rows === 1;
    return isThere && generation === block.generation ? run : null;
  }

  /** The run of that place, created if necessary. */
  at(place: RunPlace, make: () => R): R {
    const runs = this.#runs;
    for (let index = runs.length - 1; index >= 0; index--) {
      const run = runs[index] as R;
      if (!isAt(run, place)) continue;
      if (index < runs.length - 1) runs.push(...runs.splice(index, 1));
      return run;
    }
    const { block } = place;
    this.#releaseWhere((run) => run.place.block === block && run.generation !== block.generation);
    if (this.#runs.length >= MOST_KEPT) this.#runs.shift()?.release();
    const run = make();
    this.#runs.push(run);
    return run;
  }

  /** Releases runs bound to memory that is being freed. */
  drop(memory: StateBlock | SharedPrefix): void {
    this.#releaseWhere(({ place }) => place.block === memory || place.prefix === memory);
  }

  release(): void {
    this.#releaseWhere(() => true);
  }

  #releaseWhere(goes: (run: R) => boolean): void {
    this.#runs = this.#runs.filter((run) => {
      const isGone = goes(run);
      if (isGone) run.release();
      return !isGone;
    });
  }
}

function isAt({ place, generation }: KeepableRun, wanted: RunPlace): boolean {
  return (
    place.block === wanted.block &&
    generation === wanted.block.generation &&
    place.start === wanted.start &&
    place.rows === wanted.rows &&
    place.prefix === wanted.prefix
  );
}
