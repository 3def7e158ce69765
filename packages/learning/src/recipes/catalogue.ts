/** Recipes by the name that a command line gives, and what the literature's table still lacks. */
import { WaggleError } from "@waggle/protocol";
import { type CreateRecipe, partsOf } from "../composition/definition.ts";
import { a2fm } from "./a2fm.ts";
import { aepo } from "./aepo.ts";
import { arpo } from "./arpo.ts";
import { artist } from "./artist.ts";
import { bnGspo } from "./bn-gspo.ts";
import { greedyAgents } from "./greedy-agents.ts";
import { grpoRoc } from "./grpo-roc.ts";
import { pivotRl } from "./pivot-rl.ts";
import { polar } from "./polar.ts";
import { rl4vlm } from "./rl4vlm.ts";
import { scalingInterRl } from "./scaling-inter-rl.ts";
import { LITERATURE, type LiteratureRow, plainParts } from "./literature.ts";

const ALL: readonly CreateRecipe[] = [
  a2fm,
  aepo,
  arpo,
  artist,
  bnGspo,
  greedyAgents,
  grpoRoc,
  pivotRl,
  polar,
  rl4vlm,
  scalingInterRl,
];

export const STAGED_RECIPES: ReadonlyMap<string, CreateRecipe> = new Map(
  ALL.map((create) => [create.recipeName, create]),
);

/** @throws WaggleError `INVALID_ARGUMENT` listing the names that exist. */
export function stagedRecipe(name: string): CreateRecipe {
  const create = STAGED_RECIPES.get(name);
  if (create === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `recipe must be one of ${[...STAGED_RECIPES.keys()].join(", ")}, got ${name.slice(0, 64)}; choose one of these`,
    );
  }
  return create;
}

export type RowState = {
  readonly row: LiteratureRow;
  /** The recipe that expresses it, `null` where nobody wrote it. */
  readonly recipe: string | null;
  /** Parts of the row that the recipe does not have; without a recipe, all of them. */
  readonly missing: readonly string[];
};

/** Every row of the literature, and what of it can be run. */
export function literatureStates(): RowState[] {
  const byRow = new Map(
    [...STAGED_RECIPES.values()].map((create) => [create().literature.recipe, create]),
  );
  return LITERATURE.map((row): RowState => {
    const create = byRow.get(row.recipe);
    const built = create === undefined ? {} : partsOf(create());
    const missing = plainParts(row)
      .filter(({ slot, part }) => built[slot]?.includes(part) !== true)
      .map(({ slot, part }) => `${slot}:${part}`);
    return { row, recipe: create?.recipeName ?? null, missing };
  });
}
