/** Recipes of several tables that search a tree of turns. */
import type { CreateRecipe } from "../composition/definition.ts";
import { agentR } from "./agent-r.ts";
import { proAct } from "./pro-act.ts";
import { rMcts } from "./r-mcts.ts";
import { webCot } from "./web-cot.ts";

export const SEARCH_RECIPES: readonly CreateRecipe[] = [proAct, agentR, rMcts, webCot];
