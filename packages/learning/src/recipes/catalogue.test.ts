import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { literatureStates, recipeNamed, RECIPES } from "./catalogue.ts";
import { partsOf } from "../composition/definition.ts";
import { LITERATURE, plainParts } from "./literature.ts";

/** A recipe of the catalogue with the comment above it. */
const RECIPE = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nconst (\w+): CreateRecipe = recipe\(/g;

test("the table has every recipe of the literature once", () => {
  expect(LITERATURE).toHaveLength(231);
  expect(new Set(LITERATURE.map(({ recipe }) => recipe)).size).toBe(231);
  const perTable = (table: string) => LITERATURE.filter((row) => row.table === table).length;
  expect(
    ["policy-gradient", "preference", "imitation", "merging", "gradient-free"].map(perTable),
  ).toEqual([126, 24, 63, 6, 12]);
});

test.each([...RECIPES.keys()])("%s has every part that its row names", (name) => {
  const recipe = recipeNamed(name)();
  const parts = partsOf(recipe);
  const missing = plainParts(recipe.literature).filter(
    ({ slot, part }) => parts[slot]?.includes(part) !== true,
  );
  expect(missing).toEqual([]);
});

test("every header names source, differences and reasons", () => {
  const documented = globSync("*/*.ts", { cwd: import.meta.dirname }).flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(RECIPE)].map(
      ([, comment = "", name = ""]) => ({ name, comment }),
    ),
  );
  expect(documented.length).toBe(RECIPES.size);
  const lacking = documented.filter(
    ({ comment }) =>
      !/Sources?: /.test(comment) || !/Differs from .*\n(.*\n)* \* Why: \S/.test(comment),
  );
  expect(lacking.map(({ name }) => name)).toEqual([]);
});

test("a row without a recipe lists its missing parts, or else the missing recipe", () => {
  const built = new Set(
    [...RECIPES.values()].flatMap((create) =>
      Object.entries(partsOf(create())).flatMap(([slot, names]) =>
        names.map((name) => `${slot}:${name}`),
      ),
    ),
  );
  const states = literatureStates();
  const of = (wanted: string) => states.filter(({ state }) => state === wanted);
  expect(
    of("expressible").filter(({ recipe, missing }) => recipe === null || missing.length > 0),
  ).toEqual([]);
  expect(
    of("not written").filter(
      ({ recipe, missing }) => recipe !== null || missing.join() !== "recipe",
    ),
  ).toEqual([]);
  const lacking = of("missing parts").filter(({ recipe }) => recipe === null);
  expect(lacking.filter(({ missing }) => missing.length === 0)).toEqual([]);
  expect(lacking.flatMap(({ missing }) => missing).filter((part) => built.has(part))).toEqual([]);
});

test("every row of the literature can be run", () => {
  const states = literatureStates();
  expect(states.filter(({ state }) => state !== "expressible")).toEqual([]);
});

test("an unknown recipe is refused with similar names", () => {
  expect(() => recipeNamed("arpoo")).toThrow(/unknown recipe "arpoo"; .* such as arpo, /);
  expect(() => recipeNamed("nope")).toThrow(/artist.*--list/);
});

test("every recipe states how much of its paper's mechanism it implements", () => {
  const count = (mechanism: string): number =>
    [...RECIPES.values()].filter((create) => create().mechanism === mechanism).length;
  expect([count("whole"), count("partial"), count("nominal")]).toEqual([43, 152, 51]);
});
