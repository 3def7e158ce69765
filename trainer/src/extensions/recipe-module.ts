/** A recipe by its name in the catalogue, or from a file or package of the user. */
import { type CreateRecipe, recipeNamed, RECIPES } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { isFilePath, loadExport, moduleSource } from "./module-source.ts";

/** @throws WaggleError `INVALID_ARGUMENT`, `NOT_FOUND` saying where it was looked for. */
export async function recipeFrom(
  name: string,
  folder: string = process.cwd(),
): Promise<CreateRecipe> {
  if (RECIPES.has(name)) return recipeNamed(name);
  const found = await loadExport("--recipe", name, folder).catch((error: unknown) => {
    const { module } = moduleSource(name);
    if (isFilePath(module) || !WaggleError.is(error, "NOT_FOUND")) throw error;
    throw unknownRecipe(name, folder, error);
  });
  if (isRecipe(found)) return found;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `--recipe ${name} exports ${found === null ? "null" : `a ${typeof found}`}, not a recipe; export the result of recipe({ … }) of @waggle/learning`,
  );
}

function isRecipe(value: unknown): value is CreateRecipe {
  return typeof value === "function" && "recipeName" in value;
}

/** The error for a name that is neither in the catalogue nor an installed package. */
function unknownRecipe(name: string, folder: string, cause: WaggleError): WaggleError {
  const alike = [...RECIPES.keys()].filter((known) => known.startsWith(name.slice(0, 3)));
  const similar = alike.length === 0 ? "" : ` Similar: ${alike.slice(0, 8).join(", ")}.`;
  return new WaggleError(
    "NOT_FOUND",
    `unknown recipe "${name.slice(0, 64)}": it is neither in the catalogue nor a package installed in ${folder}.${similar} Run \`waggle train --list\`, or pass a file such as ./my-recipe.ts`,
    { cause },
  );
}
