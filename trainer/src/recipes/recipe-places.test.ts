import { existsSync } from "node:fs";
import { join } from "node:path";
import { ENVIRONMENTS } from "@waggle/environments";
import { type Recipe, RECIPES } from "@waggle/learning";
import { expect, test } from "vitest";
import { listedLiterature } from "./literature-list.ts";
import type { Expectation } from "../expectations/recipe-checks.fixture.ts";
import { recipePlace } from "./recipe-places.ts";

const ROOT = join(import.meta.dirname, "../../..");
const FIXTURES = import.meta.glob<{
  readonly [name: string]: { readonly [recipe: string]: Expectation };
}>("../expectations/*expectations.fixture.ts", { eager: true });

test("a recipe is tested in the environment that its needs choose", () => {
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

test("a recipe whose needs no environment meets is refused", () => {
  const create = RECIPES.get("artist");
  const recipe = { ...create?.(), needs: ["search", "user"] } as Recipe;
  expect(() => recipePlace(recipe)).toThrow(/no built-in environment has search, user/);
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
