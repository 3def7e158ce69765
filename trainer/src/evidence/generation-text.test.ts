/** The words on rounds compare the ends of rounds, seed by seed. */
import { recipeNamed } from "@waggle/learning";
import { expect, test } from "vitest";
import { generationText } from "./generation-text.ts";

const curveOf = (...successes: number[]) => ({
  curve: successes.map((success, i) => ({ sampledTokens: i, toolCalls: i, success })),
});
const RECIPE = recipeNamed("self-improving-web")();

test("a second round above the first with every seed beats it", () => {
  const runs = [0.5, 0.52, 0.54, 0.51, 0.53].map((one, i) =>
    curveOf(0.4, one, one + 0.1 + i / 100),
  );
  expect(generationText(RECIPE, runs)).toBe(
    "**Generation 2 beats generation 1** (+12.0 points, p = 4e-5, one-sided Student's t-test over seeds). Success at temperature 1 after each round: 52.0 %, 64.0 %.",
  );
});

test("a second round that is sometimes higher and sometimes lower does not beat the first", () => {
  const runs = [0.1, -0.1, 0.05, -0.04, 0].map((gain) => curveOf(0.4, 0.5, 0.5 + gain));
  expect(generationText(RECIPE, runs)).toMatch(/^\*\*Generation 2 does not beat generation 1\*\*/);
});

test("rounds that the budget cut off are not compared, and a single round has no words", () => {
  const runs = [curveOf(0.4, 0.5), curveOf(0.4, 0.5, 0.6)];
  expect(generationText(RECIPE, runs)).toMatch(/^The budget ended before the last of 2 rounds/);
  expect(generationText(recipeNamed("artist")(), runs)).toBeNull();
});
