/** Recipes of the preference table. */
import type { CreateRecipe } from "../composition/definition.ts";
import { agenticTransformer } from "./agentic-transformer.ts";
import { faft } from "./faft.ts";
import { aidsafe } from "./aidsafe.ts";
import { matrix } from "./matrix.ts";
import { agenticVrpo } from "./agentic-vrpo.ts";
import { domainAdaptation } from "./domain-adaptation.ts";
import { formalMethods } from "./formal-methods.ts";
import { mosaic } from "./mosaic.ts";
import { recap } from "./recap.ts";

export const PREFERENCE_RECIPES: readonly CreateRecipe[] = [
  agenticTransformer,
  faft,
  aidsafe,
  matrix,
  agenticVrpo,
  domainAdaptation,
  formalMethods,
  mosaic,
  recap,
];
