/** Rollouts that go on from each other: a search over the turns of a task, and what a stored step was worth. */
import type { JudgedTrajectory, JudgedGroup, RolloutPlan } from "@waggle/learning";
import type { RolloutOptions } from "../rollouts/environment-rollout.ts";
import { nameOf, taskOf } from "../rollouts/task-names.ts";

/** Whole, or from a turn of another. */
export type BegunRollout = Pick<RolloutOptions, "from"> & Pick<JudgedTrajectory, "branch">;
type Rollout = (begun: BegunRollout) => Promise<JudgedTrajectory>;

/** One after another: where each begins depends on what came of those before. */
export async function searchedRollouts(
  { size, next }: Extract<RolloutPlan, { kind: "tree" }>,
  task: string,
  stored: readonly JudgedTrajectory[],
  rollout: (nth: number) => Rollout,
): Promise<JudgedTrajectory[]> {
  const trajectories: JudgedTrajectory[] = [];
  while (trajectories.length < size) {
    const place = next(task, trajectories);
    const root =
      trajectories.find(({ id }) => id === place?.rollout) ??
      stored.find(({ id }) => id === place?.rollout);
    trajectories.push(await rollout(trajectories.length)(begun(root ?? null, place?.turns ?? 0)));
  }
  return trajectories;
}

/**
 * A stored trajectory, the policy's own way from one of its turns, and `continuations` rollouts after the step
 * that each took there. Nothing is gone on from where a step ended the task.
 */
export async function stepReplays(
  stored: JudgedTrajectory,
  turn: number,
  continuations: number,
  rollout: (nth: number) => Rollout,
): Promise<JudgedGroup> {
  const own = await rollout(0)(begun(stored, turn));
  const after = [stored, own].flatMap((root) =>
    turn + 1 < root.record.turns.length ? Array<JudgedTrajectory>(continuations).fill(root) : [],
  );
  const more = await Promise.all(after.map((root, i) => rollout(i + 1)(begun(root, turn + 1))));
  return {
    task: `${nameOf(taskOf(stored))}/${stored.id}/${turn}`,
    trajectories: [{ ...stored, role: "expert" }, own, ...more],
  };
}

function begun(root: JudgedTrajectory | null, turns: number): BegunRollout {
  if (root === null || turns === 0) return { branch: null };
  return {
    from: { trajectory: root.record, turns },
    branch: { trajectory: root.id, turn: turns },
  };
}
