/**
 * What the plans of a recipe need of an environment of tasks, said before a base is taught or a rollout made. What
 * rewards need of single rollouts is not known here.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { initialValues, type Recipe, type RolloutPlan, type Stage } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { strategyOf } from "../strategies/registry.ts";

/**
 * @throws WaggleError `INVALID_ARGUMENT` for an environment without documents, proposals or a memory where the
 *   recipe has plans with them, `GROUP_TOO_SMALL` where rollouts are compared with none.
 */
export async function requireEnvironment(recipe: Recipe, spec: EnvironmentSpec): Promise<void> {
  for (const stage of stagesOf(recipe.stages)) {
    // Who is played against is known when the stage begins.
    if (stage.state.opponents !== undefined) continue;
    const plan = stage.rollout.plan({
      step: 0,
      steps: stage.steps,
      random: () => 0,
      ports: {},
      state: initialValues(stage, {}),
      signal: new AbortController().signal,
    });
    requireGroup(recipe, stage, plan);
    await strategyOf(plan).requireEnvironment?.(plan, spec);
  }
}

function stagesOf(stages: readonly Stage[]): readonly Stage[] {
  return stages.flatMap((stage) => [stage, ...stagesOf(stage.merging?.members.flat() ?? [])]);
}

function requireGroup({ name }: Recipe, { advantage, learns }: Stage, plan: RolloutPlan): void {
  const size = strategyOf(plan).compared?.(plan) ?? 2;
  if (learns !== "rewards" || advantage?.start !== "group" || size >= 2) return;
  throw new WaggleError(
    "GROUP_TOO_SMALL",
    `recipe ${name} compares rollouts at a task, got ${size} of each; set a greater size with --set`,
  );
}
