/** Recipes of the preference table. */
import type { CreateRecipe } from "../composition/definition.ts";
import { agenticTransformer } from "./agentic-transformer.ts";
import { faft } from "./faft.ts";
import { aidsafe } from "./aidsafe.ts";
import { matrix } from "./matrix.ts";

export const PREFERENCE_RECIPES: readonly CreateRecipe[] = [
  agenticTransformer,
  faft,
  aidsafe,
  matrix,
];
