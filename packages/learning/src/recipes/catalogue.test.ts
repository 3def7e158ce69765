import { expect, test } from "vitest";
import { literatureStates, stagedRecipe, STAGED_RECIPES } from "./catalogue.ts";
import { LITERATURE } from "./literature.ts";

test("the table has every recipe of the literature once", () => {
  expect(LITERATURE).toHaveLength(231);
  expect(new Set(LITERATURE.map(({ recipe }) => recipe)).size).toBe(231);
  const perTable = (table: string) => LITERATURE.filter((row) => row.table === table).length;
  expect(
    ["policy-gradient", "preference", "imitation", "merging", "gradient-free"].map(perTable),
  ).toEqual([126, 24, 63, 6, 12]);
});

test.each([...STAGED_RECIPES.keys()])("%s has every part that its row names", (name) => {
  const state = literatureStates().find(({ recipe }) => recipe === name);
  expect(state?.missing).toEqual([]);
});

test("a row that nobody wrote names its parts as missing, an unknown recipe is answered with the list", () => {
  const state = literatureStates().find(({ recipe }) => recipe === null);
  expect(state?.missing.length).toBeGreaterThan(0);
  expect(() => stagedRecipe("nope")).toThrow(/artist/);
});
