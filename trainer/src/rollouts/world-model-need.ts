/** Whether a recipe needs a world model that is fitted before the run. It fits none. */
import type { Recipe } from "@waggle/learning";

/** True if a stage of the recipe needs a fitted world model. */
export function needsWorldModel({ stages }: Pick<Recipe, "stages">): boolean {
  return stages.some(({ state }) => {
    const part = state["world-model"];
    return part !== undefined && part.initial === undefined;
  });
}
