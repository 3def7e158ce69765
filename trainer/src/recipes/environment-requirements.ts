/**
 * Checks that an environment supports a recipe's rollouts, before a base model is trained or a
 * rollout starts, and warns if it lacks what the recipe's mechanism needs. It does not check what
 * rewards need from single rollouts.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { initialValues, type Recipe, type RolloutStrategy, type Stage } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { recipePlace, unmetNeeds } from "./recipe-places.ts";
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

/**
 * A sentence about what the recipe needs and the environment lacks; null if it lacks nothing. Such a
 * run works, but part of the recipe may have no effect: without a measure of progress, a reward for
 * progress equals the verifier's.
 */
export function environmentWarning(recipe: Recipe, spec: EnvironmentSpec): string | null {
  const unmet = unmetNeeds(recipe, spec);
  if (unmet.length === 0) return null;
  return `environment ${spec.name} does not offer ${unmet.join(" and ")}, which recipe ${recipe.name} needs: part of the recipe may have no effect. Its default environment is ${recipePlace(recipe).environment}`;
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
