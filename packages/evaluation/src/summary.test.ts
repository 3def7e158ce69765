import { expect, test } from "vitest";
import { meanOrZero, spread, standardError } from "./summary.ts";

test("the mean of an empty list is 0 where that is asked for", () => {
  expect(meanOrZero([])).toBe(0);
  expect(meanOrZero([1, 2, 6])).toBe(3);
});

test("the deviation divides by n − 1", () => {
  // Squared deviations of 1, 2, 6 from 3: 4 + 1 + 9 = 14.
  expect(spread([1, 2, 6])).toEqual({ mean: 3, deviation: Math.sqrt(7) });
  expect(spread([5])).toEqual({ mean: 5, deviation: 0 });
  expect(() => spread([])).toThrow(/empty list/);
});

test("the standard error is the deviation over the root of n", () => {
  expect(standardError([1, 2, 6])).toBeCloseTo(Math.sqrt(7 / 3), 12);
  expect(standardError([5])).toBe(0);
  expect(standardError([])).toBe(0);
});
