import { expect, test } from "vitest";
import { environmentNamed } from "@waggle/environments";
import { recipeNamed } from "@waggle/learning";
import { openControlLog } from "../evidence/control-log.ts";
import { withResults } from "./trial-page.ts";
import { type Trial, type TrialRun, verdicts } from "./trial.ts";

const SEEDS = [1, 2, 3, 4, 5, 6, 7];
const spec = environmentNamed("bandit");
const recipe = recipeNamed("grpo")();

function run(arm: string, seed: number, final: number): TrialRun {
  return { arm, seed, base: 0.5, final, probes: {}, toolCalls: 0, sampledTokens: 10, seconds: 1 };
}

const trial: Trial = {
  name: "any",
  question: "?",
  seeds: SEEDS,
  evaluationTasks: 200,
  probes: [],
  arms: [
    { name: "a", recipe, spec },
    { name: "b", recipe, spec },
  ],
  expected: [
    {
      says: "a beats b",
      difference: (of) => of("a").final - of("b").final,
      direction: "above",
      limit: 0.01,
    },
    {
      says: "b is no worse than the base",
      difference: (of) => of("b").final - of("b").base,
      direction: "not-below",
      limit: 0.01,
    },
  ],
};
/** `a` ends this much above `b`, seed by seed. */
const runsOf = (leads: readonly number[]): TrialRun[] =>
  SEEDS.flatMap((seed, i) => [run("b", seed, 0.5), run("a", seed, 0.5 + (leads[i] ?? 0))]);

test("a lead in every seed holds, with the smallest p that so many seeds allow", () => {
  const [lead, level] = verdicts(trial, runsOf([0.1, 0.2, 0.05, 0.1, 0.2, 0.1, 0.3]));
  expect(lead).toMatchObject({ holds: true, pValue: 1 / 2 ** SEEDS.length });
  expect(lead?.mean).toBeCloseTo(0.15, 12);
  expect(level).toMatchObject({ holds: true, mean: 0 });
});

test("a mean that depends on one seed does not hold", () => {
  const [lead] = verdicts(trial, runsOf([0.9, -0.01, -0.01, 0, -0.02, 0, -0.01]));
  expect(lead?.mean).toBeGreaterThan(0.1);
  expect(lead?.holds).toBe(false);
});

test("the page keeps its handwritten parts, and the expectations follow the command", async () => {
  const runs = runsOf([0.1, 0.2, 0.05, 0.1, 0.2, 0.1, -0.3]);
  const found = verdicts(trial, runs);
  const controls = await openControlLog("/nowhere/controls.jsonl");
  const written = (page: string): string => withResults(page, trial, runs, found, controls);
  const page = written(
    "# Any\n\nThe answer.\n\n## Results\n\nyesterday\n\n## Method\n\nThe command.\n\n## Expectations\n\noutdated",
  );
  expect(page).not.toMatch(/yesterday|outdated/);
  expect(page).toContain("| b | 50.0 ± 0.0 | 50.0 ± 0.0 | 50.0 | 1.0 |");
  expect(page).toMatch(/\| a beats b \| \+6\.4 ± 6\.4 \| 0\.\d+ \| \*\*no\*\* \|/);
  const order = ["The answer.", "## Results", "| b |", "The command.", "| a beats b |"];
  expect(order.map((text) => page.indexOf(text))).toEqual(
    order.map((text) => page.indexOf(text)).toSorted((a, b) => a - b),
  );
  expect(written(page)).toBe(page);
  expect(written("# Any\n\nThe answer.\n")).not.toContain("## Method");
});
