import { existsSync } from "node:fs";
import { join } from "node:path";
import { ENVIRONMENTS } from "@waggle/environments";
import { RECIPES } from "@waggle/learning";
import { expect, test } from "vitest";
import { listedLiterature } from "./literature-list.ts";
import type { Expectation } from "../expectations/recipe-checks.fixture.ts";
import { recipePlace, testedIn } from "./recipe-places.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = import.meta.glob<{
  readonly [name: string]: { readonly [recipe: string]: Expectation };
}>("../expectations/*expectations.fixture.ts", { eager: true });

test("a recipe is tested in the environment that its expectations use", () => {
  const expected = Object.values(FIXTURES)
    .flatMap((fixture) => Object.values(fixture).filter((one) => typeof one === "object"))
    .flatMap((expectations) => Object.entries(expectations))
    .map(([name, { env = "calculator" }]) => `${name} ${env}`);
  expect(expected.length).toBeGreaterThan(100);
  const said = expected.map((line) => {
    const [name = ""] = line.split(" ");
    return `${name} ${RECIPES.has(name) ? testedIn(name) : "is no recipe"}`;
  });
  expect(said).toEqual(expected);
});

test("every recipe has an environment that exists and a test that covers it", () => {
  const specs = new Set(ENVIRONMENTS.map(({ name }) => name));
  const places = [...RECIPES.values()].map((create) => recipePlace(create()));
  const files = places.flatMap(({ test: file, evidence }) => [
    file,
    ...(evidence ? [evidence] : []),
  ]);
  expect(places.filter(({ environment }) => !specs.has(environment))).toEqual([]);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test("the list has every row of the literature once, with its state and what is missing", () => {
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
  const wrong = recipes.filter(({ state, missing, environment, test: file }) => {
    const isExpressible = state === "expressible";
    return [missing.length === 0, environment !== null, file !== null].some(
      (isSaid) => isSaid !== isExpressible,
    );
  });
  expect(wrong).toEqual([]);
  expect(others.map(({ recipe }) => recipe)).toEqual(
    expect.arrayContaining(["grpo", "dr-grpo-tis"]),
  );
  expect(listedLiterature(false)).toHaveLength(1 + 231 + others.length);
});
