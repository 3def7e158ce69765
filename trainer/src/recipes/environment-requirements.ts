/**
 * Checks that an environment supports a recipe's rollouts, before a base model is trained or a
 * rollout starts. It does not check what rewards need from single rollouts.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { initialValues, type Recipe, type RolloutStrategy, type Stage } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { requireRollout } from "./rollout-requirements.ts";

/**
 * @throws WaggleError `INVALID_ARGUMENT` if the recipe's rollouts need documents, task proposals or a
 *   memory and the environment has none; `GROUP_TOO_SMALL` if rollouts are compared within groups
 *   of one.
 */
export async function requireEnvironment(recipe: Recipe, spec: EnvironmentSpec): Promise<void> {
  for (const stage of stagesOf(recipe.stages)) {
    // The opponent is only known when the stage begins.
    if (stage.state.opponents !== undefined) continue;
    const strategy = stage.rollout.strategy({
      step: 0,
      steps: stage.steps,
      random: () => 0,
      ports: {},
      state: initialValues(stage, {}),
      signal: new AbortController().signal,
    });
    requireGroup(recipe, stage, strategy);
    if (strategy.requires !== undefined) await requireRollout(strategy.requires, spec);
  }
}

function stagesOf(stages: readonly Stage[]): readonly Stage[] {
  return stages.flatMap((stage) => [stage, ...stagesOf(stage.merging?.members.flat() ?? [])]);
}

function requireGroup(
  { name }: Recipe,
  { advantage, learns }: Stage,
  { groupSize: size = 2 }: RolloutStrategy,
): void {
  if (learns !== "rewards" || advantage?.start !== "group" || size >= 2) return;
  throw new WaggleError(
    "GROUP_TOO_SMALL",
    `recipe ${name} compares the rollouts of a task, but its group size is ${size}; set a larger size with --set`,
  );
}
