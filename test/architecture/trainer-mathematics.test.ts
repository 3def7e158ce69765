/**
 * The trainer contains no mathematics: formulas are in `packages/learning`, statistics in `packages/evaluation`.
 * Counting tokens or bytes is not mathematics in this sense; exponentials, roots, means and deviations are.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Functions that only a formula needs. */
const FORMULA = /Math\.(?:exp|expm1|log|log1p|log2|log10|sqrt|cbrt|tanh|hypot|pow)\(/;

/** Definitions of a statistic: `function mean(`, `const sumOf = (`. */
const STATISTIC =
  /\b(?:function\s+|(?:const|let)\s+)(?:mean|average|sum|total|std|stddev|deviation|variance|median)(?:s|Of)?\s*(?:\(|<|=\s*(?:async\s*)?\(|:[^=;]*=>)/;

/** Files that may compute, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

function findings(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/\/\/.*$/gm, "");
  return code.split("\n").filter((line) => FORMULA.test(line) || STATISTIC.test(line));
}

test("no file of the trainer defines a formula or a statistic", () => {
  const files = globSync("trainer/src/**/*.ts", { cwd: ROOT }).filter(
    (file) => !/\.(test|fixture|bench)\.ts$/.test(file),
  );
  const computing = files.filter(
    (file) => findings(readFileSync(join(ROOT, file), "utf8")).length > 0,
  );
  expect(computing).toEqual(Object.keys(EXCEPTIONS));
  expect(files.length).toBeGreaterThan(100);
});

test.each([
  "  return Math.sqrt(squares / n);",
  "const ratio = Math.exp(a - b);",
  "function mean(values: readonly number[]): number {",
  "  const meanOf = (of: (rollout: Rollout) => number): number =>",
  "const total = (values: readonly number[]): number => values.length;",
])("the check finds: %s", (line) => {
  expect(findings(line)).toEqual([line]);
});

test.each([
  "const total = seeds.length * study.arms.length;",
  "const average = mean(differences);",
  "// Math.exp(x) in a comment",
  "const top = Math.max(...weights);",
])("the check allows: %s", (line) => {
  expect(findings(line)).toEqual([]);
});
