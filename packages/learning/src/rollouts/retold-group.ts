/** Adds a rollout that is composed from the others of its group. */
import type { TaskReference } from "@waggle/protocol";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { RolloutDriver } from "../composition/rollout-driver.ts";
import type { Retells } from "./retelling.ts";

/** The trajectories, and one composed from them if that is possible. */
export async function withRetold(
  driver: Pick<RolloutDriver, "retell">,
  task: TaskReference,
  trajectories: readonly JudgedTrajectory[],
  retells: Retells | undefined,
): Promise<readonly JudgedTrajectory[]> {
  const retelling = retells?.(trajectories) ?? null;
  if (retelling === null) return trajectories;
  const told = await driver.retell(task, trajectories, retelling);
  return told === null ? trajectories : [...trajectories, told];
}
