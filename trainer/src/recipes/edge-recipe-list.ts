/**
 * `--list` for commands that train from an edge: the catalogue's recipes, and whether each one can
 * run there.
 */
import { RECIPES } from "@waggle/learning";
import { edgeMisfits } from "./edge-recipe.ts";
import { textTable } from "../metrics/text-table.ts";

/**
 * @param json print one object `{recipes: [{name, paper, fits, misfits}]}` instead of one line per
 *   recipe
 */
export function listedRecipes(json: boolean): string[] {
  const recipes = [...RECIPES.values()].map((create) => {
    const recipe = create();
    const misfits = edgeMisfits(recipe);
    const { paper } = recipe.literature;
    return { name: recipe.name, paper, fits: misfits.length === 0, misfits };
  });
  if (json) return [JSON.stringify({ recipes })];
  const rows = recipes.map(({ name, fits, misfits }) => [
    name,
    fits ? "fits" : `does not fit: ${misfits.join("; ")}`,
  ]);
  return textTable([["--recipe", "here"], ...rows]);
}
