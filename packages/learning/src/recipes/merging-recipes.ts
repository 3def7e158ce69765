/** Recipes of the merging table. */
import type { CreateRecipe } from "../composition/definition.ts";
import { lowRankContinual } from "./low-rank-continual.ts";
import { modelBreadcrumbs } from "./model-breadcrumbs.ts";
import { ram } from "./ram.ts";
import { past } from "./past.ts";
import { modelRatatouille } from "./model-ratatouille.ts";
import { composableSparse } from "./composable-sparse.ts";

export const MERGING_RECIPES: readonly CreateRecipe[] = [
  modelBreadcrumbs,
  ram,
  past,
  modelRatatouille,
  composableSparse,
  lowRankContinual,
];
