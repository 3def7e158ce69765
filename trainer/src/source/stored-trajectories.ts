/**
 * Stored trajectories for strategies that continue them. Correct and wrong demonstrations stand in until
 * the first are stored.
 */
import type { JudgedTrajectory } from "@waggle/learning";
import { derivedSeed } from "@waggle/protocol";
import type { DriverParts } from "../rollouts/driver-parts.ts";
import { demonstrations } from "../rollouts/demonstration.ts";

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
  async begin(parts: DriverParts, seed: number): Promise<void> {
    if (this.#trajectories.length === 0)
      this.#trajectories = await storedDemonstrations(parts, seed);
  }
}

function storedDemonstrations(parts: DriverParts, seed: number): Promise<JudgedTrajectory[]> {
  const { spec } = parts;
  const tasks = Array.from({ length: COUNT }, (_, i) =>
    spec.reference(derivedSeed(seed, i, 0x57), "train", i % spec.levels),
  );
  return demonstrations(parts, tasks, MISTAKES, seed);
}
