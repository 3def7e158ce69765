/**
 * Each recipe of the table runs in an environment where its mechanism passes the recipe's own check. The expectations
 * and the appendix list the rows where it does not.
 */
import { join } from "node:path";
import { environmentNamed } from "@waggle/environments";
import { recipeNamed } from "@waggle/learning";
import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { ADAPTING_EXPECTATIONS } from "../expectations/adapting-expectations.fixture.ts";
import { DIVIDED_IMITATION_EXPECTATIONS } from "../expectations/divided-work-expectations.fixture.ts";
import { IMITATION_EXPECTATIONS } from "../expectations/imitation-expectations.fixture.ts";
import { DEMONSTRATION_EXPECTATIONS } from "../expectations/demonstration-expectations.fixture.ts";
import { PREFERENCE_EXPECTATIONS } from "../expectations/preference-expectations.fixture.ts";
import type { Expectation } from "../expectations/recipe-checks.fixture.ts";
import { EXPECTATIONS } from "../expectations/recipe-expectations.fixture.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  tinyEngines,
  updateOnce,
} from "../expectations/recipe-update.fixture.ts";
import { ROLE_IMITATION_EXPECTATIONS } from "../expectations/role-expectations.fixture.ts";
import { readExpectations } from "./expectations.ts";

const CHECKS: { readonly [recipe: string]: Expectation } = {
  ...EXPECTATIONS,
  ...IMITATION_EXPECTATIONS,
  ...DEMONSTRATION_EXPECTATIONS,
  ...ADAPTING_EXPECTATIONS,
  ...ROLE_IMITATION_EXPECTATIONS,
  ...DIVIDED_IMITATION_EXPECTATIONS,
  ...PREFERENCE_EXPECTATIONS,
};

const FILE = join(import.meta.dirname, "../../../docs/evidence/learning/expectations.json");

/** One seed's four tasks may not activate a mechanism. */
const SEEDS = [1, 2, 3];
/** Rows that run under `npm test`. */
const SAMPLE = 4;

type Row = { readonly recipe: string; readonly environment: string };

/** The same stored trajectories as in the recipes' own tests. */
async function acted(environment: string, recipe: string): Promise<ActedEnvironment> {
  const acted = await actedEnvironment(environmentNamed(environment));
  if (recipeNamed(recipe)().literature.table === "policy-gradient") return acted;
  const ended = (success: boolean): ActedEnvironment["stored"] =>
    acted.stored.filter(({ verification }) => verification.success === success);
  const longest = ended(true).toSorted((a, b) => b.turns.length - a.turns.length);
  return { ...acted, stored: [...ended(false).slice(0, 2), ...longest.slice(0, 1)] };
}

/** Whether the recipe's own checks hold in the row's environment, with one of the seeds. */
async function isShown({ recipe, environment }: Row): Promise<boolean> {
  const { settings = {}, updates, differs } = CHECKS[recipe] ?? { differs: null };
  const place = await acted(environment, recipe);
  const engines = await tinyEngines();
  try {
    for (const seed of SEEDS) {
      try {
        const built = recipeNamed(recipe)(settings);
        const records = await updateOnce(built, place, engines, updates, seed);
        for (const check of differs ?? []) check(records);
        return true;
      } catch {
        // The next seed has other tasks.
      }
    }
    return false;
  } finally {
    await engines.dispose();
  }
}

test(
  "each recipe runs where it passes its own check, or the expectations list it as unshown",
  async () => {
    const { recipes, unshown = [] } = await readExpectations(FILE);
    // A row in the environment of its test is checked there.
    const elsewhere = recipes.filter(({ recipe, environment }) => {
      const check = CHECKS[recipe];
      const isChecked = check !== undefined && check.differs !== null;
      return isChecked && (check.env ?? "calculator") !== environment;
    });
    const random = seededRandom(17);
    const drawn = elsewhere
      .map((row) => ({ row, draw: random() }))
      .toSorted((a, b) => a.draw - b.draw)
      .map(({ row }) => row);
    const rows = isLong() ? drawn : drawn.slice(0, SAMPLE);
    const found: string[] = [];
    for (const row of rows) if (!(await isShown(row))) found.push(row.recipe);
    const names = rows.map(({ recipe }) => recipe);
    expect(found.toSorted()).toEqual(unshown.filter((name) => names.includes(name)).toSorted());
  },
  isLong() ? 3_600_000 : 180_000,
);
