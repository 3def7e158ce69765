/**
 * Every recipe that writes texts or cases without a gradient: parameters stay fixed, the text
 * changes, and the next rollouts read it. Plain GRPO fails each check.
 */
import { environmentNamed } from "@waggle/environments";
import { RECIPES, recipeNamed } from "@waggle/learning";
import { beforeAll, expect, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { PLAIN_GRPO } from "./plain-recipes.fixture.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  type StageRecord,
} from "./recipe-update.fixture.ts";
import { updateAlone } from "./update-alone.fixture.ts";
import { WRITTEN_EXPECTATIONS } from "./text-expectations.fixture.ts";

let acted: ActedEnvironment;
let control: StageRecord[];

beforeAll(async () => {
  const spec = environmentNamed("calculator");
  acted = await actedEnvironment(spec);
  control = await updateAlone(PLAIN_GRPO(), acted);
});

const NAMES = [...RECIPES.values()]
  .filter((create) => create().stages.every(({ learns }) => learns === "texts"))
  .map(({ recipeName }) => recipeName);

/** `npm test` runs every third recipe. */
const TESTED = NAMES.map((name, i) => [name, i % 3 === 0] as const);

test.for(TESTED)("%s writes, and parameters stay fixed", async ([name, isSampled], context) => {
  skipOutside(isSampled, context);
  const expectation = WRITTEN_EXPECTATIONS[name];
  const { settings, updates, differs } = expectation ?? { differs: [] };
  const records = await updateAlone(recipeNamed(name)(settings), acted, updates);
  for (const check of differs ?? []) {
    check(records);
    expect(() => check(control)).toThrow(/./);
  }
});

test("every recipe of texts and cases has an expectation", () => {
  expect(Object.keys(WRITTEN_EXPECTATIONS).toSorted()).toEqual(NAMES.toSorted());
});
