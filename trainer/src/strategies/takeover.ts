/**
 * `takeover`: rollouts in which a person acts for some turns after failures, and then gives back
 * control.
 */
import type { JudgedTrajectory } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { derivedSeed } from "@waggle/protocol";
import { rollout, byTask, many } from "./single-rollout.ts";
import type { CollectOptions, CollectParts, PlanOf, RolloutStrategy } from "./strategy.ts";
import { takeover } from "./taken-over.ts";

export const takenOver: RolloutStrategy<PlanOf<"takeover">> = {
  collect: (plan, { tasks, parts, options }) =>
    byTask(parts, tasks, (task, at) =>
      many(plan.size, (i) => shared(plan, parts, options, task, [at, i])),
    ),
};

async function shared(
  plan: PlanOf<"takeover">,
  parts: CollectParts,
  options: CollectOptions,
  task: TaskReference,
  place: readonly number[],
): Promise<JudgedTrajectory> {
  const { spec, format, policy } = parts;
  const seed = derivedSeed(options.seed, ...place);
  const { actors, around, policy: sharedBy } = await takeover(plan, spec, task, format, seed);
  const taken = { ...parts, policy: sharedBy(policy) };
  return { ...(await rollout(taken, options, task, place, { around })), actors };
}
