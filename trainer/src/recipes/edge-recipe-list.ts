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
  const named = recipes.toSorted(
    (a, b) => Number(b.fits) - Number(a.fits) || a.name.localeCompare(b.name),
  );
  const rows = named.map(({ name, fits, misfits }) => [
    name,
    fits ? "yes" : `no: ${misfits.join("; ")}`,
  ]);
  return [
    ...textTable([["--recipe", "can train here"], ...rows]),
    "",
    "Run the others with waggle train.",
  ];
}
