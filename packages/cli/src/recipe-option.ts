/** The recipe of commands that start a trainer beside an edge. */
import { WaggleError } from "@waggle/protocol";
import { edgeRecipeNamed } from "@waggle/trainer";
import { InvalidArgumentError } from "commander";

/** Validates a recipe that can train from an edge. */
export function edgeRecipe(name: string): string {
  try {
    return edgeRecipeNamed(name).name;
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    throw new InvalidArgumentError(error.message);
  }
}
