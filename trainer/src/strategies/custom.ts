/** `custom`: the recipe's own file generates the trajectories of a task. */
import { told } from "@waggle/environments";
import { seededRandom } from "@waggle/protocol";
import { byTask, rollout } from "./single-rollout.ts";
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const customRollouts: RolloutStrategy<PlanOf<"custom">> = {
  collect: ({ mechanism }, { tasks, stored, parts, options }) =>
    byTask(parts, tasks, async (task, at) => {
      const trajectories = await mechanism.rollOutTask({
        task,
        stored,
        random: seededRandom(options.seed, at, 0xc57),
        rollOut: (nth, { told: sentence, ...changes } = {}) =>
          rollout(parts, options, task, [at, nth], {
            ...changes,
            ...(sentence === undefined ? {} : { around: told(sentence) }),
          }),
      });
      return [...trajectories];
    }),
};
