/** Recipes that train more than a policy: reward models beside it, or several roles. */
import type { CreateRecipe } from "../composition/definition.ts";
import { agentRlvr } from "./agent-rlvr.ts";
import { atomSearcher } from "./atom-searcher.ts";
import { controllableIdeation } from "./controllable-ideation.ts";
import { genAgent } from "./gen-agent.ts";
import { genSearcher } from "./gen-searcher.ts";
import { msrl } from "./msrl.ts";
import { oprl } from "./oprl.ts";
import { prft } from "./prft.ts";

export const SEVERAL_MODEL_RECIPES: readonly CreateRecipe[] = [
  agentRlvr,
  atomSearcher,
  controllableIdeation,
  genAgent,
  genSearcher,
  msrl,
  oprl,
  prft,
];
