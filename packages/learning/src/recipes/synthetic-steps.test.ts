/**
 * The filters, advantages and losses of every stage, computed on seeded numbers, must not change by accident, because
 * the evidence was measured with them. This test detects a change; the tests of the parts show whether it is right.
 * After an intended change, run test/golden/recipes/write.ts and read which recipes differ.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { skipOutside } from "../../../../test/fixtures/long.ts";
import { RECIPE_NAMES, syntheticSteps } from "./synthetic-steps.fixture.ts";

const PATH = join(import.meta.dirname, "../../../../test/golden/recipes/steps.json");
const golden = JSON.parse(readFileSync(PATH, "utf8")) as {
  readonly [name: string]: readonly string[];
};

/** `npm test` runs every third recipe. */
const TESTED = RECIPE_NAMES.map((name, i) => [name, i % 3 === 0] as const);

test.for(TESTED)(
  "%s: a step on seeded numbers is as recorded",
  async ([name, isSampled], context) => {
    skipOutside(isSampled, context);
    expect(await syntheticSteps(name)).toEqual(golden[name]);
  },
);

test("most stages compute a step to the loss", () => {
  const lines = Object.values(golden).flat();
  const computed = lines.filter((line) => /: kept [1-9].*, loss (-?\d|\()/.test(line));
  expect(computed.length / lines.length).toBeGreaterThan(0.8);
});
