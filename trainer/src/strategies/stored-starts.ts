/** Start of a rollout that continues another one. */
import type { JudgedTrajectory } from "@waggle/learning";
import type { RolloutChanges } from "./single-rollout.ts";

/**
 * Starts after `turns` turns of a trajectory; at the task's start without a trajectory or turns.
 */
export function startingAt(
  root: JudgedTrajectory | null,
  turns: number,
): Pick<RolloutChanges, "from" | "branch"> {
  if (root === null || turns === 0) return { branch: null };
  return {
    from: { trajectory: root.record, turns },
    branch: { trajectory: root.id, turn: turns },
  };
}
