/** Recipes of several tables that search a tree of turns. */
import type { CreateRecipe } from "../composition/definition.ts";
import { proAct } from "./pro-act.ts";

export const SEARCH_RECIPES: readonly CreateRecipe[] = [proAct];
