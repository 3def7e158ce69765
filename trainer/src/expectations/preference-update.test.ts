/**
 * Every recipe of the preference table learns once, stage by stage, and shows the difference that
 * its paper describes. Plain imitation fails each check, and so do pairs with exchanged sides.
 */
import { environmentNamed } from "@waggle/environments";
import { type Recipe, RECIPES, recipeNamed } from "@waggle/learning";
import { beforeAll, expect, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { PREFERENCE_EXPECTATIONS } from "./preference-expectations.fixture.ts";
import { learnsPairs } from "./recipe-checks.fixture.ts";
import { PLAIN_SFT } from "./plain-recipes.fixture.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  type StageRecord,
} from "./recipe-update.fixture.ts";
import { updateAlone } from "./update-alone.fixture.ts";

let acted: ActedEnvironment;
let control: StageRecord[];

beforeAll(async () => {
  const spec = environmentNamed("calculator");
  const environment = await actedEnvironment(spec);
  // Stored failures and a success are always available to strategies that continue stored trajectories.
  const ended = (success: boolean): ActedEnvironment["stored"] =>
    environment.stored.filter((trajectory) => trajectory.verification.success === success);
  const longest = ended(true).reduce((a, b) => (b.turns.length > a.turns.length ? b : a));
  acted = { ...environment, stored: [...ended(false).slice(0, 2), longest] };
  control = await updateAlone(PLAIN_SFT(), acted);
});

/** Recipes that end in a merge are tested in `merging-update.test.ts`. */
const NAMES = [...RECIPES.values()]
  .filter((create) => create().literature.table === "preference")
  .filter((create) => create().stages.every(({ merging }) => merging === null))
  .map(({ recipeName }) => recipeName);

/** `npm test` runs every third recipe. */
const TESTED = NAMES.map((name, i) => [name, i % 3 === 0] as const);

test.for(TESTED)("%s learns once in each of its stages", async ([name, isSampled], context) => {
  skipOutside(isSampled, context);
  const { settings, updates, seed, differs } = PREFERENCE_EXPECTATIONS[name] ?? {};
  const recipe = recipeNamed(name)(settings);
  const records = await updateAlone(recipe, acted, updates, seed);
  for (const { update, moved } of records) {
    expect(update.learned).toBe(true);
    expect(Number.isFinite(update.metrics["loss"])).toBe(true);
    expect(moved).toBeGreaterThan(0);
  }
  for (const check of differs ?? []) {
    check(records);
    expect(() => check(control)).toThrow(/./);
  }
});

/** The same recipe with chosen and rejected exchanged in every pair. */
function exchanged(recipe: Recipe): Recipe {
  return {
    ...recipe,
    stages: recipe.stages.map((stage) => ({
      ...stage,
      filters: stage.filters.map((filter) => ({
        ...filter,
        apply: (...given: Parameters<typeof filter.apply>) => {
          const { pairs, ...rest } = filter.apply(...given);
          return pairs === undefined
            ? rest
            : { ...rest, pairs: pairs.map(([chosen, rejected]) => [rejected, chosen] as const) };
        },
      })),
    })),
  };
}

test("the checks detect pairs with exchanged sides", async () => {
  const recipe = recipeNamed("formal-methods")();
  learnsPairs(0)(await updateAlone(recipe, acted));
  const wrong = await updateAlone(exchanged(recipe), acted);
  expect(() => learnsPairs(0)(wrong)).toThrow(/./);
});

test("every recipe of the table has an expectation", () => {
  expect(Object.keys(PREFERENCE_EXPECTATIONS).toSorted()).toEqual(NAMES.toSorted());
});
