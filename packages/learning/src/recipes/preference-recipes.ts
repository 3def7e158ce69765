/** Recipes of the preference table. */
import type { CreateRecipe } from "../composition/definition.ts";
import { agenticTransformer } from "./agentic-transformer.ts";
import { faft } from "./faft.ts";
import { aidsafe } from "./aidsafe.ts";
import { matrix } from "./matrix.ts";
import { agentQ } from "./agent-q.ts";
import { agenticVrpo } from "./agentic-vrpo.ts";
import { coRft } from "./co-rft.ts";
import { conRft } from "./con-rft.ts";
import { digiQ } from "./digi-q.ts";
import { domainAdaptation } from "./domain-adaptation.ts";
import { formalMethods } from "./formal-methods.ts";
import { ipr } from "./ipr.ts";
import { mosaic } from "./mosaic.ts";
import { oap } from "./oap.ts";
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
  coRft,
  conRft,
  digiQ,
  oap,
  agentQ,
  ipr,
];
