/** Names of tasks, and the task of a stored trajectory. */
import { type TaskReference, WaggleError } from "@waggle/protocol";
import type { JudgedTrajectory } from "./judged-trajectory.ts";

/** `environment/split/seed`, the stable name of a task. */
export function taskName({ environment, split, seed }: TaskReference): string {
  return `${environment}/${split}/${seed}`;
}

/** @throws WaggleError `INVALID_ARGUMENT` if the trajectory is of a visitor's own request. */
export function taskOf({ record: trajectory }: Pick<JudgedTrajectory, "record">): TaskReference {
  if (trajectory.task === null) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `trajectory ${trajectory.id} is a visitor's own request and belongs to no task; leave it out`,
    );
  }
  return trajectory.task;
}
