/** The list of mutants fits the code: each text is there once, each test file exists, all are recorded. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutated } from "../../scripts/mutant-runner.ts";
import { MUTANTS } from "../mutants/mutants.ts";

const ROOT = join(import.meta.dirname, "../..");

test("every mutant changes one place of the present code", () => {
  for (const mutant of MUTANTS) {
    const source = readFileSync(join(ROOT, mutant.file), "utf8");
    expect(mutated(mutant, source)).not.toBe(source);
  }
});

test("a mutant whose text is gone is an error and not a success", () => {
  const [mutant] = MUTANTS;
  if (mutant === undefined) throw new Error("there are no mutants");
  expect(() => mutated(mutant, "")).toThrow(/needs its text once in .*, found 0 times/);
});

test("mutants have names of their own and tests that exist", () => {
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  const missing = MUTANTS.flatMap(({ tests }) => tests).filter(
    (file) => !existsSync(join(ROOT, file)),
  );
  expect(missing).toEqual([]);
});

test("the recorded run is of these mutants and caught at least 95 % of at least 60", () => {
  const { totals, mutants } = JSON.parse(
    readFileSync(join(ROOT, "docs/evidence/mutants.json"), "utf8"),
  ) as {
    totals: { mutants: number; caught: number };
    mutants: { id: string; caught: boolean }[];
  };
  expect(mutants.map(({ id }) => id)).toEqual(MUTANTS.map(({ id }) => id));
  expect(totals.mutants).toBeGreaterThanOrEqual(60);
  expect(totals.caught / totals.mutants).toBeGreaterThanOrEqual(0.95);
  expect(mutants.filter(({ caught }) => caught)).toHaveLength(totals.caught);
});
