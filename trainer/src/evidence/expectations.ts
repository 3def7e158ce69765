/**
 * What was expected before anything was run: recipes, environments, budgets, seeds, and which way each
 * should differ. Read from the committed file; nothing here is a result.
 */
import { readFile } from "node:fs/promises";
import { WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { type Arm, armKey, type Budget } from "./arm.ts";

const SettingsShape = z.record(z.string(), z.union([z.number(), z.boolean(), z.string()]));
const BudgetShape = z.strictObject({
  sampledTokens: z.number().int().positive(),
  toolCalls: z.number().int().positive(),
});

/** Success at the end above the reference's less `margin`, and where it says so at a share of its costs. */
export type Direction = Pick<Arm, "recipe" | "environment" | "settings"> & {
  readonly says: string;
  /** Instead of the environment's. */
  readonly budget?: Budget | undefined;
  /** Of the reference beside it, instead of the environment's. */
  readonly referenceBudget?: Budget | undefined;
  readonly margin: number;
  /** Of what the reference spent, at most. */
  readonly most?: { readonly of: "toolCalls" | "turns"; readonly share: number } | undefined;
};

/** Claims that were written down together, and tried on seeds that nothing of them was chosen by. */
export type ClaimRound = {
  /** When, and from what. */
  readonly chosen: string;
  readonly seeds: readonly number[];
  readonly directions: readonly Direction[];
};

export type Expectations = {
  /** When and from what these were chosen. */
  readonly chosen: string;
  readonly seeds: readonly number[];
  readonly evaluationTasks: number;
  /** Of one run, by environment. */
  readonly budgets: { readonly [environment: string]: Budget };
  /** Each is expected to end above the base. */
  readonly recipes: readonly Pick<Arm, "recipe" | "environment" | "settings">[];
  /** What all are compared with, in each environment, at its budget. */
  readonly reference: Pick<Arm, "recipe" | "settings">;
  /** What papers say of their recipe beside plain GRPO. */
  readonly claims: readonly ClaimRound[];
  /** What `--smoke` runs. */
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
  budgets: z.record(z.string(), BudgetShape),
  recipes: z.array(
    z.strictObject({ recipe: z.string(), environment: z.string(), settings: SettingsShape }),
  ),
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

/** @throws WaggleError `INVALID_ARGUMENT` for a file that is not of this form. */
export async function readExpectations(path: string): Promise<Expectations> {
  const parsed = ExpectationsShape.safeParse(JSON.parse(await readFile(path, "utf8")));
  if (parsed.success) return parsed.data;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `expectations must have seeds, budgets and recipes, got ${z.prettifyError(parsed.error)} in ${path}; correct the file`,
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
      `each environment must have a budget, got none for ${environment}; add one to the expectations`,
    );
  }
  return { recipe, settings, environment, seed, budget, evaluationTasks };
}

/** The whole table, seed by seed, so that what is there at any time is useful. */
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

/** The name of a recipe's page: its own, with the environment's where the recipe is only there to compare with. */
export function pageName(
  { recipes }: Expectations,
  { recipe, environment }: Pick<Arm, "recipe" | "environment">,
): string {
  const isExpected = recipes.some(
    (one) => one.recipe === recipe && one.environment === environment,
  );
  return isExpected ? recipe : `${recipe}-${environment}`;
}

/** The recipe of a direction and the reference beside it, with one seed. */
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

/** All arms of the claims, each once, round by round and seed by seed; only those of `seeds` where given. */
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
