/** The strategy of every kind of plan, and the rollouts of a step. */
import type { JudgedTrajectory, JudgedGroup, RolloutPlan } from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import { branchedRollouts } from "./branch.ts";
import { customRollouts } from "./custom.ts";
import { demonstrations } from "./demonstrations.ts";
import { foldedContexts } from "./folded.ts";
import { groupRollouts } from "./group.ts";
import { loggedTrajectories } from "./log.ts";
import { noRollouts } from "./nothing.ts";
import { partialRollouts } from "./partial.ts";
import { pivotActions } from "./pivot.ts";
import { prefixContinuations } from "./prefix.ts";
import { proposedTasks } from "./proposals.ts";
import { retries } from "./retry.ts";
import { situatedRollouts } from "./situated.ts";
import type { CollectOptions, CollectParts, PlanOf, RolloutStrategy } from "./strategy.ts";
import { takenOver } from "./takeover.ts";
import { teams } from "./team.ts";
import { searchTree } from "./tree.ts";

const STRATEGIES: { readonly [K in RolloutPlan["kind"]]: RolloutStrategy<PlanOf<K>> } = {
  group: groupRollouts,
  partial: partialRollouts,
  demos: demonstrations,
  branch: branchedRollouts,
  pivot: pivotActions,
  prefix: prefixContinuations,
  tree: searchTree,
  retry: retries,
  folded: foldedContexts,
  situated: situatedRollouts,
  log: loggedTrajectories,
  takeover: takenOver,
  noise: noRollouts,
  team: teams,
  proposals: proposedTasks,
  custom: customRollouts,
  none: noRollouts,
};

/** The strategy that runs a plan. */
export function strategyOf<P extends RolloutPlan>({ kind }: P): RolloutStrategy<P> {
  return STRATEGIES[kind] as unknown as RolloutStrategy<P>;
}

/** The trajectories of one step, in groups. Does not choose which of them are learned. */
export function collect(
  plan: RolloutPlan,
  tasks: readonly TaskReference[],
  stored: readonly JudgedTrajectory[],
  parts: CollectParts,
  options: CollectOptions,
): Promise<JudgedGroup[]> {
  return strategyOf(plan).collect(plan, { tasks, stored, parts, options });
}
