/** `--list`: every row of the literature tables, its state here, and where to see it run. */
import {
  inferredParts,
  literatureStates,
  otherRecipes,
  partsOf,
  type Recipe,
  recipeNamed,
} from "@waggle/learning";
import { textTable } from "../metrics/text-table.ts";
import { recipePlace } from "./recipe-places.ts";

/**
 * @param json print one object `{recipes, others}` instead of one line per row; `others` are
 *   recipes of papers that are in no table.
 */
export function listedLiterature(json: boolean): string[] {
  const recipes = literatureStates().map(({ row, recipe, state, missing }) => ({
    name: row.recipe,
    paper: row.paper,
    state,
    recipe,
    missing,
    ...detailsOf(recipe === null || state !== "expressible" ? null : recipeNamed(recipe)()),
  }));
  const others = otherRecipes().map((recipe) => ({
    name: recipe.literature.recipe,
    paper: recipe.literature.paper,
    state: "expressible",
    recipe: recipe.name,
    missing: [] as string[],
    ...detailsOf(recipe),
  }));
  if (json) return [JSON.stringify({ recipes, others })];
  const rows = [...recipes, ...others].map(
    ({ name, recipe, state, missing, environment, mechanism }) => [
      recipe ?? "–",
      environment ?? "–",
      mechanism ?? "–",
      name,
      ...(state === "expressible" ? [] : [`${state}: ${missing.join(" ")}`]),
    ],
  );
  return textTable([["--recipe", "--env", "mechanism", "paper"], ...rows]);
}

/**
 * `--list --recipe`: the parts of a recipe, with `*` where the abstract does not specify one, and
 * its settings.
 */
export function listedRecipe(recipe: Recipe, json: boolean): string[] {
  const { name, literature, differs, mechanism, needs, settings, choices } = recipe;
  const inferred = inferredParts(literature);
  const card = {
    recipe: name,
    name: literature.recipe,
    paper: literature.paper,
    differs,
    mechanism,
    needs,
    settings,
    choices,
    parts: partsOf(recipe),
    inferred,
    ...recipePlace(recipe),
    stages: recipe.stages.map((stage) => stage.name),
    rounds: recipe.rounds,
  };
  if (json) return [JSON.stringify(card)];
  const set = Object.entries(settings).map(([key, value]) => {
    const allowed = choices[key] === undefined ? "" : ` (${choices[key].join("|")})`;
    return `${key}=${value}${allowed}`;
  });
  const marked = (slot: string, part: string): string =>
    inferred.some((one) => one.slot === slot && one.part === part) ? `${part}*` : part;
  const rounds = card.rounds > 1 ? `, ${card.rounds} rounds` : "";
  const rows: (readonly [string, string])[] = [
    ["recipe", name],
    ["paper", literature.paper],
    ["mechanism", mechanism ?? "–"],
    ...differs.map((text) => ["differs", text] as const),
    ["settings", set.join(", ")],
    ["stages", `${card.stages.join(", ")}${rounds}`],
    ...Object.entries(card.parts).map(
      ([slot, parts]) => [slot, parts.map((part) => marked(slot, part)).join(", ")] as const,
    ),
    ...(needs.length === 0 ? [] : [["needs", needs.join(", ")] as const]),
    ["environment", card.environment],
    ["test", card.test],
    ["evidence", card.evidence ?? "–"],
  ];
  return rows.map(([what, text]) => `${what.padEnd(13)}${text}`);
}

function detailsOf(recipe: Recipe | null): {
  readonly [field in "environment" | "evidence" | "test"]: string | null;
} & Pick<Recipe, "settings" | "choices" | "mechanism" | "needs"> {
  if (recipe === null) {
    const nowhere = { environment: null, evidence: null, test: null };
    return { ...nowhere, settings: {}, choices: {}, mechanism: null, needs: [] };
  }
  const { settings, choices, mechanism, needs } = recipe;
  return { ...recipePlace(recipe), settings, choices, mechanism, needs };
}
