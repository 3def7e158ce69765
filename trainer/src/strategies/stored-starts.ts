/** Where a rollout begins that goes on from another one. */
import type { JudgedTrajectory } from "@waggle/learning";
import type { RolloutChanges } from "./single-rollout.ts";

/** After so many turns of a trajectory; at the task's start for no trajectory and for no turn. */
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
