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
    `--recipe ${name} is ${found === null ? "null" : typeof found} and not a recipe; export what recipe({ … }) of @waggle/learning returns`,
  );
}

function isRecipe(value: unknown): value is CreateRecipe {
  return typeof value === "function" && "recipeName" in value;
}

/** A name that nobody knows is a slip in a name of the catalogue, or a package that is not installed. */
function unknownRecipe(name: string, folder: string, cause: WaggleError): WaggleError {
  const alike = [...RECIPES.keys()].filter((known) => known.startsWith(name.slice(0, 3)));
  const similar = alike.length === 0 ? "" : ` Similar: ${alike.slice(0, 8).join(", ")}.`;
  return new WaggleError(
    "NOT_FOUND",
    `there is no recipe ${name.slice(0, 64)}: the catalogue has none of that name, and no such package is installed in ${folder}.${similar} \`waggle train --list\` shows the catalogue; a file is given by its path, such as ./my-recipe.ts`,
    { cause },
  );
}
