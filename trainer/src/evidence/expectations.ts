/**
 * Expectations written before any run: recipes, environments, budgets, seeds, and the claimed
 * differences. Read from the committed file; contains no results.
 */
import { readFile } from "node:fs/promises";
import { WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { type Arm, armKey, type Budget } from "./arm.ts";
import type { BasesByEnvironment } from "./evidence-base.ts";

const SettingsShape = z.record(z.string(), z.union([z.number(), z.boolean(), z.string()]));
const BudgetShape = z.strictObject({
  sampledTokens: z.number().int().positive(),
  toolCalls: z.number().int().positive(),
});

/**
 * Final success above the reference's minus `margin`, and optionally a limit on cost relative to
 * the reference.
 */
export type Direction = Pick<Arm, "recipe" | "environment" | "settings"> & {
  readonly says: string;
  /** Replaces the environment's budget. */
  readonly budget?: Budget | undefined;
  /** Budget of the reference, instead of the environment's. */
  readonly referenceBudget?: Budget | undefined;
  readonly margin: number;
  /** Maximum share of the reference's cost. */
  readonly most?: { readonly of: "toolCalls" | "turns"; readonly share: number } | undefined;
};

/**
 * Claims that were written down together, and tested on seeds that were not used to choose their
 * settings.
 */
export type ClaimRound = {
  /** Date and basis of the choices. */
  readonly chosen: string;
  readonly seeds: readonly number[];
  readonly directions: readonly Direction[];
};

export type Expectations = {
  /** Date and basis of the choices. */
  readonly chosen: string;
  readonly seeds: readonly number[];
  readonly evaluationTasks: number;
  /** Bases that differ from the default: each leaves room for learning at its best temperature. */
  readonly bases: BasesByEnvironment;
  /** Budget of one run, by environment. */
  readonly budgets: { readonly [environment: string]: Budget };
  /** Recipes expected to end above the base. */
  readonly recipes: readonly Pick<Arm, "recipe" | "environment" | "settings">[];
  /** Recipes whose own check does not hold in the environment of their row: `placement.test.ts`. */
  readonly unshown?: readonly string[] | undefined;
  /** The reference recipe: it runs in each environment at its budget. */
  readonly reference: Pick<Arm, "recipe" | "settings">;
  /** Claims of papers about their recipe compared with plain GRPO. */
  readonly claims: readonly ClaimRound[];
  /** The arms of `--smoke`. */
  readonly smoke: readonly string[];
};

const DirectionShape = z.strictObject({
  says: z.string(),
  recipe: z.string(),
  environment: z.string(),
  settings: SettingsShape,
  budget: BudgetShape.optional(),
  referenceBudget: BudgetShape.optional(),
  margin: z.number().min(0).max(1),
  most: z
    .strictObject({ of: z.enum(["toolCalls", "turns"]), share: z.number().positive() })
    .optional(),
});

const ExpectationsShape: z.ZodType<Expectations> = z.strictObject({
  chosen: z.string(),
  seeds: z.array(z.number().int().nonnegative()).min(1),
  evaluationTasks: z.number().int().positive(),
  bases: z.record(
    z.string(),
    z.strictObject({
      mistakes: z.number().min(0).max(1).exactOptional(),
      habits: z.number().min(0).max(1).exactOptional(),
      habit: z.number().int().nonnegative().exactOptional(),
      steps: z.number().int().positive().exactOptional(),
    }),
  ),
  budgets: z.record(z.string(), BudgetShape),
  recipes: z.array(
    z.strictObject({ recipe: z.string(), environment: z.string(), settings: SettingsShape }),
  ),
  unshown: z.array(z.string()).optional(),
  reference: z.strictObject({ recipe: z.string(), settings: SettingsShape }),
  claims: z.array(
    z.strictObject({
      chosen: z.string(),
      seeds: z.array(z.number().int().nonnegative()).min(2),
      directions: z.array(DirectionShape).min(1),
    }),
  ),
  smoke: z.array(z.string()).min(1),
});

/** @throws WaggleError `INVALID_ARGUMENT` for a file with another form. */
export async function readExpectations(path: string): Promise<Expectations> {
  const parsed = ExpectationsShape.safeParse(JSON.parse(await readFile(path, "utf8")));
  if (parsed.success) return parsed.data;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `invalid expectations in ${path}:\n${z.prettifyError(parsed.error)}`,
  );
}

/** @throws WaggleError `INVALID_ARGUMENT` for an environment without a budget. */
function armOf(
  { budgets, evaluationTasks }: Expectations,
  { recipe, settings, environment }: Pick<Arm, "recipe" | "settings" | "environment">,
  seed: number,
): Arm {
  const budget = budgets[environment];
  if (budget === undefined) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `environment ${environment} has no budget; add one to the expectations`,
    );
  }
  return { recipe, settings, environment, seed, budget, evaluationTasks };
}

/** All arms of the table, seed by seed, so that an interrupted run has complete seeds. */
export function tableArms(
  expectations: Expectations,
  seeds: readonly number[] = expectations.seeds,
): Arm[] {
  const { recipes, reference } = expectations;
  const environments = [...new Set(recipes.map(({ environment }) => environment))];
  const references = environments
    .filter(
      (environment) =>
        !recipes.some((one) => one.recipe === reference.recipe && one.environment === environment),
    )
    .map((environment) => ({ ...reference, environment }));
  return seeds.flatMap((seed) =>
    [...references, ...recipes].map((one) => armOf(expectations, one, seed)),
  );
}

/**
 * File name of a recipe's page. The reference recipe's pages in other environments include the
 * environment's name.
 */
export function pageName(
  { recipes }: Expectations,
  { recipe, environment }: Pick<Arm, "recipe" | "environment">,
): string {
  const isExpected = recipes.some(
    (one) => one.recipe === recipe && one.environment === environment,
  );
  return isExpected ? recipe : `${recipe}-${environment}`;
}

/** The recipe and the reference of a claim, with one seed. */
export function directionArms(
  expectations: Expectations,
  { recipe, environment, settings, budget, referenceBudget }: Direction,
  seed: number,
): { readonly claimed: Arm; readonly reference: Arm } {
  const claimed = armOf(expectations, { recipe, environment, settings }, seed);
  const reference = armOf(expectations, { ...expectations.reference, environment }, seed);
  return {
    claimed: { ...claimed, budget: budget ?? claimed.budget },
    reference: { ...reference, budget: referenceBudget ?? reference.budget },
  };
}

/**
 * All arms of the claims without duplicates, round by round and seed by seed; limited to `seeds` if
 * given.
 */
export function claimArms(expectations: Expectations, seeds?: readonly number[]): Arm[] {
  const arms = expectations.claims.flatMap((round) =>
    round.seeds
      .filter((seed) => seeds === undefined || seeds.includes(seed))
      .flatMap((seed) =>
        round.directions.flatMap((direction) => {
          const { claimed, reference } = directionArms(expectations, direction, seed);
          return [reference, claimed];
        }),
      ),
  );
  return [...new Map(arms.map((arm) => [armKey(arm), arm])).values()];
}
