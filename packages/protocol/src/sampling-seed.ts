/** The seed that an edge gives for one rollout, and the seeds of its sampled segments. */
import { spanSeed } from "./seeded-random.ts";
import type { Trajectory } from "./trajectory.ts";

/**
 * Index of the first sampled segment whose seed does not follow from the trajectory's `samplingSeed`, counted among the
 * sampled ones. `null` if there is none, or the trajectory names no seed.
 */
export function otherSeedAt({
  samplingSeed,
  segments,
}: Pick<Trajectory, "samplingSeed" | "segments">): number | null {
  if (samplingSeed === undefined) return null;
  const sampled = segments.filter((segment) => segment.kind === "sampled");
  const index = sampled.findIndex(({ sampling }, i) => sampling.seed !== spanSeed(samplingSeed, i));
  return index === -1 ? null : index;
}
