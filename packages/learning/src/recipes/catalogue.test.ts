import { expect, test } from "vitest";
import { literatureStates, recipeNamed, RECIPES } from "./catalogue.ts";
import { partsOf } from "../composition/definition.ts";
import { LITERATURE, plainParts } from "./literature.ts";

test("the table has every recipe of the literature once", () => {
  expect(LITERATURE).toHaveLength(231);
  expect(new Set(LITERATURE.map(({ recipe }) => recipe)).size).toBe(231);
  const perTable = (table: string) => LITERATURE.filter((row) => row.table === table).length;
  expect(
    ["policy-gradient", "preference", "imitation", "merging", "gradient-free"].map(perTable),
  ).toEqual([126, 24, 63, 6, 12]);
});

test.each([...RECIPES.keys()])("%s has every part that its row names", (name) => {
  const made = recipeNamed(name)();
  const parts = partsOf(made);
  const missing = plainParts(made.literature).filter(
    ({ slot, part }) => parts[slot]?.includes(part) !== true,
  );
  expect(missing).toEqual([]);
});

test("a row that nobody wrote names its parts as missing, an unknown recipe is answered with the list", () => {
  const state = literatureStates().find(({ recipe }) => recipe === null);
  expect(state?.missing.length).toBeGreaterThan(0);
  expect(() => recipeNamed("nope")).toThrow(/artist/);
});
