/** Attempts that go on from each other: a search over the turns of a task, and what a stored step was worth. */
import type { JudgedTrajectory, JudgedGroup, RolloutPlan } from "@waggle/learning";
import type { AttemptOptions } from "./family-attempt.ts";
import { nameOf, taskOf } from "./task-names.ts";

/** Whole, or from a turn of another. */
export type BegunAttempt = Pick<AttemptOptions, "from"> & Pick<JudgedTrajectory, "branch">;
type Attempt = (begun: BegunAttempt) => Promise<JudgedTrajectory>;

/** One after another: where each begins depends on what came of those before. */
export async function searchedAttempts(
  { size, next }: Extract<RolloutPlan, { kind: "tree" }>,
  task: string,
  stored: readonly JudgedTrajectory[],
  attempt: (nth: number) => Attempt,
): Promise<JudgedTrajectory[]> {
  const trajectories: JudgedTrajectory[] = [];
  while (trajectories.length < size) {
    const place = next(task, trajectories);
    const root =
      trajectories.find(({ id }) => id === place?.attempt) ??
      stored.find(({ id }) => id === place?.attempt);
    trajectories.push(await attempt(trajectories.length)(begun(root ?? null, place?.turns ?? 0)));
  }
  return trajectories;
}

/**
 * A stored trajectory, the policy's own way from one of its turns, and `continuations` attempts after the step
 * that each took there. Nothing is gone on from where a step ended the task.
 */
export async function stepReplays(
  stored: JudgedTrajectory,
  turn: number,
  continuations: number,
  attempt: (nth: number) => Attempt,
): Promise<JudgedGroup> {
  const own = await attempt(0)(begun(stored, turn));
  const after = [stored, own].flatMap((root) =>
    turn + 1 < root.record.turns.length ? Array<JudgedTrajectory>(continuations).fill(root) : [],
  );
  const more = await Promise.all(after.map((root, i) => attempt(i + 1)(begun(root, turn + 1))));
  return {
    task: `${nameOf(taskOf(stored))}/${stored.id}/${turn}`,
    trajectories: [{ ...stored, role: "expert" }, own, ...more],
  };
}

function begun(root: JudgedTrajectory | null, turns: number): BegunAttempt {
  if (root === null || turns === 0) return { branch: null };
  return {
    from: { trajectory: root.record, turns },
    branch: { trajectory: root.id, turn: turns },
  };
}
