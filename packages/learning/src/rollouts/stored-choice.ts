/** Starting points in stored trajectories, and seeded draws of them. */
import { seededRandom } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RolloutChanges } from "../composition/rollout-driver.ts";

/** `count` distinct entries in random order; all entries if there are fewer. */
export function seededChoice<T>(entries: readonly T[], count: number, seed: number): T[] {
  const random = seededRandom(seed, 0xd4a);
  const left = [...entries];
  const taken: T[] = [];
  while (taken.length < count && left.length > 0) {
    taken.push(...left.splice(Math.floor(random() * left.length), 1));
  }
  return taken;
}

/**
 * Starts after `turns` turns of a trajectory; at the task's start without a trajectory or turns.
 */
export function startingAt(
  root: JudgedTrajectory | null,
  turns: number,
): Pick<RolloutChanges, "from" | "branch"> {
  if (root === null || turns === 0) return {};
  return {
    from: { trajectory: root.record, turns },
    branch: { trajectory: root.id, turn: turns },
  };
}
