/**
 * Where a recipe runs by default and what shows that it works: an environment that has what the recipe
 * needs, the test file, and the evidence page.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  ENVIRONMENTS,
  environmentNamed,
  type EnvironmentSpec,
  withVisitors,
} from "@waggle/environments";
import type { EnvironmentMeasure, Recipe } from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { feedbackWeights } from "./feedback-weights.ts";

/** Where a recipe's evidence is. */
export type RecipePlace = {
  /** Name of the environment. */
  readonly environment: string;
  /** Paths from the repository root; `evidence` is null until the recipe has runs. */
  readonly test: string;
  readonly evidence: string | null;
};

const ROOT = join(import.meta.dirname, "../../..");

/** The default environment. Its tool fails occasionally, which is enough to show most claims. */
const USUAL = "calculator";

/** Update tests, by literature table. */
const TESTS: { readonly [table in Recipe["literature"]["table"]]: string } = {
  "policy-gradient": "recipe-update.test.ts",
  preference: "preference-update.test.ts",
  imitation: "imitation-update.test.ts",
  merging: "merging-update.test.ts",
  "gradient-free": "writing-update.test.ts",
  feedback: "feedback-update.test.ts",
};

/** Recipes that use neither gradients nor text. */
const EVOLVED = "evolve-update.test.ts";

/** The environment, test file and evidence page of a recipe. */
export function recipePlace(recipe: Recipe): RecipePlace {
  const { name, literature, stages } = recipe;
  const merges = stages.at(-1)?.merging !== null;
  const test = stages.some(({ evolution }) => evolution !== null)
    ? EVOLVED
    : TESTS[merges ? "merging" : literature.table];
  const page = `docs/evidence/learning/${name}.md`;
  return {
    environment: fittingEnvironment(recipe).name,
    test: `trainer/src/expectations/${test}`,
    evidence: existsSync(join(ROOT, page)) ? page : null,
  };
}

/**
 * The first environment that has what the recipe needs and measures what its rewards read, with the
 * default one first.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if there is none
 */
function fittingEnvironment(recipe: Recipe): EnvironmentSpec {
  const usual = environmentNamed(USUAL);
  const found = [usual, ...ENVIRONMENTS].find((spec) => unmetNeeds(recipe, spec).length === 0);
  if (found !== undefined) return found;
  const nothing = { features: [], measures: [] };
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `no built-in environment has ${unmetNeeds(recipe, nothing).join(", ")}, which recipe ${recipe.name} needs; name one of your own with --env`,
  );
}

/** Features that the recipe needs and measures that its rewards read, if the environment has none. */
export function unmetNeeds(
  { needs, stages }: Recipe,
  { features = [], measures = [] }: Pick<EnvironmentSpec, "features" | "measures">,
): string[] {
  const read = stages.flatMap(({ reward }) => (reward === null ? [] : measuresOf(reward)));
  return [
    ...needs.filter((need) => !features.includes(need)),
    ...[...new Set(read)].filter((measure) => !measures.includes(measure)),
  ];
}

function measuresOf({ reads = [], around = [] }: Measured): readonly EnvironmentMeasure[] {
  return [...reads, ...around.flatMap(measuresOf)];
}

type Measured = {
  readonly part: string;
  readonly reads?: readonly EnvironmentMeasure[];
  readonly around?: readonly Measured[];
};

/** Default error rate of simulated feedback, for recipes that need it. */
const VISITOR_NOISE = 0.1;

/**
 * The environment for a recipe's run. Simulated visitors judge if the recipe learns from feedback or
 * if `noise` is given; without a recipe that says which, they give thumbs.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an unknown environment.
 */
export function recipeEnvironment(
  recipe: Recipe,
  {
    environment,
    noise,
  }: {
    /**
     * Name of a built-in environment, or an environment; default: the one of the recipe's evidence.
     */
    readonly environment?: string | EnvironmentSpec | undefined;
    readonly noise?: number | undefined;
  } = {},
): EnvironmentSpec {
  const tasks =
    typeof environment === "object"
      ? environment
      : environmentNamed(environment ?? recipePlace(recipe).environment);
  const feedback = recipe.stages.map(feedbackWeights).find((weights) => weights !== null);
  if (noise === undefined && feedback === undefined) return tasks;
  return withVisitors(tasks, { noise: noise ?? VISITOR_NOISE, ...(feedback && { feedback }) });
}
