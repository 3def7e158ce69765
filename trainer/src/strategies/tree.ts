/** `tree`: sequential rollouts; the start of each depends on the results of the earlier ones. */
import type { JudgedTrajectory } from "@waggle/learning";
import { nameOf } from "../rollouts/task-names.ts";
import { withRetold } from "./retold-rollout.ts";
import { rollout, byTask } from "./single-rollout.ts";
import { startingAt } from "./stored-starts.ts";
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const searchTree: RolloutStrategy<PlanOf<"tree">> = {
  collect: (plan, { tasks, stored, parts, options }) =>
    byTask(parts, tasks, async (task, at) => {
      const trajectories: JudgedTrajectory[] = [];
      while (trajectories.length < plan.size) {
        const start = plan.next(nameOf(task), trajectories);
        const root =
          trajectories.find(({ id }) => id === start?.rollout) ??
          stored.find(({ id }) => id === start?.rollout);
        const from = startingAt(root ?? null, start?.turns ?? 0);
        trajectories.push(await rollout(parts, options, task, [at, trajectories.length], from));
      }
      return withRetold(trajectories, plan, parts, task);
    }),
};
