/** The settings of a step under schedule parts, at both ends and between; expected values are computed by hand. */
import { expect, test } from "vitest";
import type { StepSettings } from "../composition/stage.ts";
import * as parts from "../parts.ts";

const settings = { maxTurns: 99, rewardWeights: { outcome: 1 } } as unknown as StepSettings;

const context = {
  steps: 5,
  random: () => 0.5,
  state: {},
  ports: {},
  signal: new AbortController().signal,
};

const overSteps = (
  { at }: ReturnType<typeof parts.difficultyCurriculum>,
  steps: readonly number[],
): StepSettings[] => steps.map((step) => at(settings, { ...context, step }));

test("easy tasks come first, and all tasks after the given share of the stage", () => {
  const curriculum = overSteps(parts.difficultyCurriculum(0.8), [0, 1, 3, 4]);
  expect(curriculum.map(({ difficulty }) => difficulty)).toEqual([0, 0.25, 0.75, 1]);
  // In a stage of one step there is nothing to lead up to.
  const [only] = overSteps(parts.difficultyCurriculum(0), [1]);
  expect(only?.difficulty).toBe(1);
});

test("the turn limit grows from the first number to the last", () => {
  const turns = overSteps(parts.horizonCurriculum(2, 8), [0, 2, 3, 4]);
  expect(turns.map(({ maxTurns }) => maxTurns)).toEqual([2, 2, 5, 5]);
});

test("weights are exact at the first and last step; other weights stay unchanged", () => {
  const part = parts.weightAnneal({ process: [1, 0], imitation: [0, 0.5] });
  expect(overSteps(part, [0, 1, 4]).map(({ rewardWeights }) => rewardWeights)).toEqual([
    { outcome: 1, process: 1, imitation: 0 },
    { outcome: 1, process: 0.75, imitation: 0.125 },
    { outcome: 1, process: 0, imitation: 0.5 },
  ]);
});
