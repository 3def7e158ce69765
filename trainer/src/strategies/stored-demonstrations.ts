/** Demonstrations, right and wrong ones, for plans that go on from stored trajectories where there are none yet. */
import type { JudgedTrajectory } from "@waggle/learning";
import { FULL_SUPPORT } from "@waggle/protocol";
import { derivedSeed } from "../rollouts/random.ts";
import { collect, type CollectParts } from "./collect.ts";

const COUNT = 128;
/** How often they err. */
const MISTAKES = 0.15;

export async function storedDemonstrations(
  parts: CollectParts,
  seed: number,
): Promise<JudgedTrajectory[]> {
  const { spec } = parts;
  const tasks = Array.from({ length: COUNT }, (_, i) =>
    spec.reference(derivedSeed(seed, i, 0x57), "train", i % spec.levels),
  );
  const groups = await collect({ kind: "demos", size: 1, mistakes: MISTAKES }, tasks, [], parts, {
    ...{ sampling: FULL_SUPPORT, seed, staleness: 0 },
  });
  return groups.flatMap(({ trajectories }) => trajectories);
}
