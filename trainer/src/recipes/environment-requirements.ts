/**
 * What the plans of a recipe need of an environment of tasks, said before a base is taught or a rollout made. What
 * rewards need of single rollouts is not known here.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { initialValues, type Recipe, type RolloutPlan, type Stage } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { searched } from "../rollouts/changed-environment.ts";
import { memoryOf } from "../strategies/managed-turns.ts";
import { proposalsOf } from "../strategies/proposed-rollouts.ts";

/**
 * @throws WaggleError `INVALID_ARGUMENT` for an environment without documents, proposals or a memory where the
 *   recipe has plans with them, `GROUP_TOO_SMALL` where rollouts are compared with none.
 */
export async function requireEnvironment(recipe: Recipe, spec: EnvironmentSpec): Promise<void> {
  for (const stage of stagesOf(recipe.stages)) {
    // Who is played against is known when the stage begins.
    if (stage.state.opponents !== undefined) continue;
    const plan = stage.rollout.plan({
      ...{ step: 0, steps: stage.steps, random: () => 0, ports: {} },
      state: initialValues(stage, {}),
      signal: new AbortController().signal,
    });
    requireGroup(recipe, stage, plan);
    await requirePlan(plan, spec);
  }
}

function stagesOf(stages: readonly Stage[]): readonly Stage[] {
  return stages.flatMap((stage) => [stage, ...stagesOf(stage.merging?.members.flat() ?? [])]);
}

async function requirePlan(plan: RolloutPlan, spec: EnvironmentSpec): Promise<void> {
  if (plan.kind === "proposals") {
    const { proposer } = proposalsOf(spec, plan.searches);
    if (plan.searches !== undefined) await requireSearch(proposer);
  }
  if (plan.kind === "folded" && plan.managed !== undefined) memoryOf(spec);
  if (
    plan.kind === "group" &&
    plan.environments?.some((instance) => instance?.kind === "searched") === true
  ) {
    await requireSearch(spec);
  }
}

async function requireSearch(spec: EnvironmentSpec): Promise<void> {
  await searched(spec.create(spec.reference(0, "train", 0))).environment.observe();
}

function requireGroup({ name }: Recipe, { advantage, learns }: Stage, plan: RolloutPlan): void {
  const size = plan.kind === "group" || plan.kind === "team" ? plan.size : 2;
  if (learns !== "rewards" || advantage?.start !== "group" || size >= 2) return;
  throw new WaggleError(
    "GROUP_TOO_SMALL",
    `recipe ${name} compares rollouts at a task, got ${size} of each; set a greater size with --set`,
  );
}
