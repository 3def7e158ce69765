/**
 * Every recipe that writes texts or cases without a gradient: parameters stay fixed, the text
 * changes, and the next rollouts read it. Plain GRPO fails each check.
 */
import { environmentNamed } from "@waggle/environments";
import { RECIPES, recipeNamed } from "@waggle/learning";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PLAIN_GRPO } from "./plain-recipes.fixture.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  type StageRecord,
  tinyEngines,
  updateOnce,
} from "./recipe-update.fixture.ts";
import { WRITTEN_EXPECTATIONS } from "./text-expectations.fixture.ts";

let engines: Awaited<ReturnType<typeof tinyEngines>>;
let acted: ActedEnvironment;
let control: StageRecord[];

beforeAll(async () => {
  const spec = environmentNamed("calculator");
  engines = await tinyEngines();
  acted = await actedEnvironment(spec);
  control = await updateOnce(PLAIN_GRPO(), acted, engines);
});
afterAll(async () => {
  await engines.dispose();
});

const NAMES = [...RECIPES.values()]
  .filter((create) => create().stages.every(({ learns }) => learns === "texts"))
  .map(({ recipeName }) => recipeName);

test.each(NAMES)("%s writes, and parameters stay fixed", async (name) => {
  const expectation = WRITTEN_EXPECTATIONS[name];
  const { settings, updates, differs } = expectation ?? { differs: [] };
  const records = await updateOnce(recipeNamed(name)(settings), acted, engines, updates);
  for (const check of differs ?? []) {
    check(records);
    expect(() => check(control)).toThrow(/./);
  }
});

test("every recipe of texts and cases has an expectation", () => {
  expect(Object.keys(WRITTEN_EXPECTATIONS).toSorted()).toEqual(NAMES.toSorted());
});
