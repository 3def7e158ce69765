/**
 * The evidence was measured with these defaults, and a run that resumes builds its stages again from its settings. So a
 * default must not change by accident. Where one is meant to change, run test/golden/recipes/write.ts, read the
 * difference, and say on the pages of evidence that their runs had the old one.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recipeRecords } from "./recipe-records.fixture.ts";

const PATH = join(import.meta.dirname, "../../../../test/golden/recipes/recipes.json");
const golden = JSON.parse(readFileSync(PATH, "utf8")) as { readonly [name: string]: unknown };
const records = recipeRecords();

test("the catalogue has the recorded recipes in their order", () => {
  expect(Object.keys(records)).toEqual(Object.keys(golden));
});

test.each(Object.keys(golden))("%s has the defaults that it was measured with", (name) => {
  expect(records[name]).toEqual(golden[name]);
});
