/** Checks the list of mutants: each text occurs once in the code, each test file exists, and all are recorded. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutated } from "../../scripts/mutant-runner.ts";
import { MUTANTS } from "../mutants/mutants.ts";

const ROOT = join(import.meta.dirname, "../..");

test("every mutant changes exactly one place in the present code", () => {
  for (const mutant of MUTANTS) {
    const source = readFileSync(join(ROOT, mutant.file), "utf8");
    expect(mutated(mutant, source)).not.toBe(source);
  }
});

test("a mutant whose text is missing is an error instead of a success", () => {
  const [mutant] = MUTANTS;
  if (mutant === undefined) throw new Error("there are no mutants");
  expect(() => mutated(mutant, "")).toThrow(/must find its text once in .*, but it occurs 0 times/);
});

test("mutants have unique names and existing tests", () => {
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  const missing = MUTANTS.flatMap(({ tests }) => tests).filter(
    (file) => !existsSync(join(ROOT, file)),
  );
  expect(missing).toEqual([]);
});

test("the recorded run has all these mutants and caught at least 95 % of at least 60", () => {
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
