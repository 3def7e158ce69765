import { existsSync } from "node:fs";
import { join } from "node:path";
import { FAMILIES } from "@waggle/environments";
import { RECIPES } from "@waggle/learning";
import { expect, test } from "vitest";
import { listedLiterature } from "./literature-list.ts";
import type { Expectation } from "./recipe-checks.fixture.ts";
import { recipePlace } from "./recipe-places.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = import.meta.glob<{
  readonly [name: string]: { readonly [recipe: string]: Expectation };
}>("./*expectations.fixture.ts", { eager: true });

test("a recipe's environment is the one that its expectations are checked in", () => {
  const expected = Object.values(FIXTURES)
    .flatMap((fixture) => Object.values(fixture).filter((one) => typeof one === "object"))
    .flatMap((expectations) => Object.entries(expectations))
    .map(([name, { env = "calculator" }]) => `${name} ${env}`);
  expect(expected.length).toBeGreaterThan(100);
  const said = expected.map((line) => {
    const [name = ""] = line.split(" ");
    const create = RECIPES.get(name);
    return `${name} ${create === undefined ? "is no recipe" : recipePlace(create()).environment}`;
  });
  expect(said).toEqual(expected);
});

test("every recipe has a family that exists and a test that looks at it", () => {
  const families = new Set(FAMILIES.map(({ name }) => name));
  for (const create of RECIPES.values()) {
    const place = recipePlace(create());
    expect(families).toContain(place.environment);
    expect(existsSync(join(ROOT, place.test))).toBe(true);
    if (place.evidence !== null) expect(existsSync(join(ROOT, place.evidence))).toBe(true);
  }
});

test("the list has every row of the literature once, with its state and what it lacks", () => {
  const [line = ""] = listedLiterature(true);
  const { recipes, others } = JSON.parse(line) as {
    recipes: {
      name: string;
      state: string;
      missing: string[];
      environment: string | null;
      test: string | null;
    }[];
    others: { recipe: string }[];
  };
  expect(recipes).toHaveLength(231);
  for (const { state, missing, environment, test: file } of recipes) {
    const isExpressible = state === "expressible";
    expect([state, missing.length === 0]).toEqual([state, isExpressible]);
    expect([environment !== null, file !== null]).toEqual([isExpressible, isExpressible]);
  }
  expect(others.map(({ recipe }) => recipe)).toEqual(["grpo", "dr-grpo-tis"]);
  expect(listedLiterature(false)).toHaveLength(231 + others.length);
});
