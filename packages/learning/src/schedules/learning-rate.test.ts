import { expect, test } from "vitest";
import { cosineRate, warmedUpRate } from "./learning-rate.ts";

test("warm-up is linear, and the cosine ends at its floor", () => {
  expect([0, 1, 3, 9].map(warmedUpRate(8, 4))).toEqual([2, 4, 8, 8]);
  const cosine = cosineRate({ rate: 1, warmUpSteps: 2, totalSteps: 10, floor: 0.1 });
  expect(cosine(0)).toBe(0.5);
  expect(cosine(6)).toBeCloseTo(0.55, 12);
  expect(cosine(10)).toBeCloseTo(0.1, 12);
});
