/**
 * Stored trajectories for plans that continue them. Correct and wrong demonstrations stand in until
 * the first are stored.
 */
import type { JudgedTrajectory } from "@waggle/learning";
import { FULL_SUPPORT } from "@waggle/protocol";
import { derivedSeed } from "@waggle/protocol";
import { collect } from "./registry.ts";
import type { CollectParts } from "./strategy.ts";

const COUNT = 128;
/** Error rate of these demonstrations. */
const MISTAKES = 0.15;

/** Maximum number of stored trajectories. */
const MOST = 512;

/** Trajectories of earlier steps, newest last. */
export class StoredTrajectories {
  #trajectories: readonly JudgedTrajectory[];

  constructor(found: readonly JudgedTrajectory[] = []) {
    this.#trajectories = found;
  }

  get all(): readonly JudgedTrajectory[] {
    return this.#trajectories;
  }

  add(trajectories: readonly JudgedTrajectory[]): void {
    this.#trajectories = [...this.#trajectories, ...trajectories].slice(-MOST);
  }

  /** Demonstrations, used until trajectories are stored. */
  async begin(parts: CollectParts, seed: number): Promise<void> {
    if (this.#trajectories.length === 0)
      this.#trajectories = await storedDemonstrations(parts, seed);
  }
}

async function storedDemonstrations(
  parts: CollectParts,
  seed: number,
): Promise<JudgedTrajectory[]> {
  const { spec } = parts;
  const tasks = Array.from({ length: COUNT }, (_, i) =>
    spec.reference(derivedSeed(seed, i, 0x57), "train", i % spec.levels),
  );
  const groups = await collect({ kind: "demos", size: 1, mistakes: MISTAKES }, tasks, [], parts, {
    sampling: FULL_SUPPORT,
    seed,
    staleness: 0,
  });
  return groups.flatMap(({ trajectories }) => trajectories);
}
