/** `demos`: demonstrations of each task, after rollouts of the policy if the plan compares them. */
import { rollout, byTask, demonstration, many } from "./single-rollout.ts";
import { withRetold } from "./retold-rollout.ts";
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const demonstrations: RolloutStrategy<PlanOf<"demos">> = {
  collect: (plan, { tasks, parts, options }) =>
    byTask(parts, tasks, async (task, at) => {
      const students = await many(plan.students ?? 0, (i) =>
        rollout(parts, options, task, [at, i], { role: "student" }),
      );
      const shown = await many(plan.size, (i) =>
        demonstration(plan, parts, options.seed, task, at, i),
      );
      return withRetold([...students, ...shown], plan, parts, task);
    }),
};
