/**
 * `retry`: a failed rollout is told of its failure and continues in the same context; with
 * `trials`, several times, after which a teacher answers.
 *
 * Source: Reflect, Retry, Reward, arXiv:2505.24726.
 */
import { retrying } from "@waggle/environments";
import { derivedSeed } from "@waggle/protocol";
import { introspectiveRollout } from "./introspective-rollout.ts";
import { rollout, byTask, many } from "./single-rollout.ts";
import type { PlanOf, RolloutStrategy } from "./strategy.ts";

export const retries: RolloutStrategy<PlanOf<"retry">> = {
  overlaps: true,
  collect: ({ size, guidance, trials }, { tasks, parts, options }) =>
    byTask(parts, tasks, (task, at) =>
      many(size, (i) => {
        if (trials === undefined) {
          return rollout(parts, options, task, [at, i], { around: retrying(guidance) });
        }
        const { policy, format, spec, signal } = parts;
        const { sampling, maxTurns, seed, staleness } = options;
        return introspectiveRollout(
          { policy, format, spec, guidance, trials },
          task,
          { sampling, maxTurns, seed: derivedSeed(seed, at, i), staleness },
          signal,
        );
      }),
    ),
};
