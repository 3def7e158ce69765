/** `--list`: every row of the literature, what of it can be run, and where that can be seen. */
import { literatureStates, otherRecipes, type Recipe, recipeNamed } from "@waggle/learning";
import { recipePlace } from "./recipe-places.ts";

/**
 * @param json one object `{recipes, others}` in place of a line each; `others` are recipes of papers that
 *   are in no row.
 */
export function listedLiterature(json: boolean): string[] {
  const recipes = literatureStates().map(({ row, recipe, state, missing }) => ({
    ...{ name: row.recipe, paper: row.paper, state, recipe, missing },
    ...placeOf(recipe === null || state !== "expressible" ? null : recipeNamed(recipe)()),
  }));
  const others = otherRecipes().map((recipe) => ({
    ...{ name: recipe.literature.recipe, paper: recipe.literature.paper, state: "expressible" },
    ...{ recipe: recipe.name, missing: [] as string[] },
    ...placeOf(recipe),
  }));
  if (json) return [JSON.stringify({ recipes, others })];
  return [...recipes, ...others].map(({ name, recipe, state, missing, environment }) =>
    [name, recipe ?? "–", state, missing.join(" "), environment ?? "–"].join("\t"),
  );
}

function placeOf(recipe: Recipe | null): {
  readonly [field in "environment" | "evidence" | "test"]: string | null;
} {
  if (recipe === null) return { environment: null, evidence: null, test: null };
  return recipePlace(recipe);
}
