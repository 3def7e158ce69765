/**
 * `partial`: complete groups from partial rollouts. Cut rollouts continue first; new ones fill the
 * rest of the step.
 *
 * Source: partial rollouts, Kimi Team 2025, "Kimi k1.5", arXiv:2501.12599.
 */
import type { JudgedTrajectory, JudgedGroup } from "@waggle/learning";
import { isUnfinished } from "@waggle/learning/parts";
import { inLanes } from "../rollouts/lanes.ts";
import { taskOf } from "../rollouts/task-names.ts";
import { rollout, byTask, many } from "./single-rollout.ts";
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const partialRollouts: RolloutStrategy<PlanOf<"partial">> = {
  collect: async ({ size, turns, most, unfinished }, { tasks, parts, options }) => {
    const goingOn = await inLanes(unfinished.length, async (at) => {
      const { task, trajectories } = unfinished[at] as JudgedGroup;
      const more = await many(trajectories.length, async (i) => {
        const trajectory = trajectories[i] as JudgedTrajectory;
        const { record } = trajectory;
        if (!isUnfinished(record, most)) return trajectory;
        const done = record.turns.length;
        const limited = { ...options, maxTurns: Math.min(most, done + turns) };
        return rollout(parts, limited, taskOf(trajectory), [at, i, done], {
          from: { trajectory: record, turns: done },
        });
      });
      return { task, trajectories: more };
    });
    const left = tasks.slice(0, Math.max(0, tasks.length - unfinished.length));
    const begun = await byTask(parts, left, (task, at) =>
      many(size, (i) => rollout(parts, { ...options, maxTurns: turns }, task, [at, i])),
    );
    return [...goingOn, ...begun];
  },
};
