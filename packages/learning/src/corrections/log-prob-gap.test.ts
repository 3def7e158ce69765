import { expect, test } from "vitest";
import { boundedBehaviorLogProbs, isInsideBand, logProbGap } from "./log-prob-gap.ts";

test("mean and max of the absolute differences", () => {
  const gap = logProbGap([-1, -2, -3], [-1.5, -2, -2.75]);
  expect(gap.mean).toBeCloseTo(0.25, 12);
  expect(gap.max).toBe(0.5);
});

test("a band refuses a large mean, a large single token, and NaN", () => {
  const band = { mean: 0.01, max: 0.1 };
  expect(isInsideBand({ mean: 0.01, max: 0.1 }, band)).toBe(true);
  expect(isInsideBand({ mean: 0.02, max: 0.05 }, band)).toBe(false);
  expect(isInsideBand({ mean: 0.001, max: 0.2 }, band)).toBe(false);
  expect(isInsideBand(logProbGap([-1], [Number.NaN]), band)).toBe(false);
});

test("a forged log-prob gains at most the band", () => {
  expect(boundedBehaviorLogProbs([-9, -1, -0.01], [-1, -1.05, -1], 0.1)).toEqual([-1.1, -1, -0.9]);
});

test("arrays of different lengths are refused", () => {
  expect(() => logProbGap([-1], [])).toThrow(expect.objectContaining({ code: "SHAPE_MISMATCH" }));
});
