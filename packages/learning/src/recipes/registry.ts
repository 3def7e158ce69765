/** Recipes by the name that a command line gives. */
import { WaggleError } from "@waggle/protocol";
import type { Recipe, RecipeOptions } from "../recipe.ts";
import { drGrpoTis } from "./dr-grpo-tis.ts";
import { grpo } from "./grpo.ts";

export const RECIPES: { readonly [name: string]: (options?: RecipeOptions) => Recipe } = {
  "dr-grpo-tis": drGrpoTis,
  grpo,
};

/** @throws WaggleError `INVALID_ARGUMENT` listing the names that exist. */
export function recipeNamed(name: string, options: RecipeOptions = {}): Recipe {
  const create = Object.hasOwn(RECIPES, name) ? RECIPES[name] : undefined;
  if (create === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `recipe must be one of ${Object.keys(RECIPES).join(", ")}, got ${name.slice(0, 64)}; choose one of these`,
    );
  }
  return create(options);
}
