import { mulberry32 } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { drawUniform } from "./draw.ts";
import {
  argMax,
  deviationOf,
  indicesByKey,
  meanOf,
  quantileOf,
  requireInside,
} from "./statistics.ts";

test("deviations follow their convention, and are 0 if the divisor is 0", () => {
  // Squares around the mean 2 sum to 2.
  expect(deviationOf([1, 2, 3], "population")).toBeCloseTo(Math.sqrt(2 / 3), 12);
  expect(deviationOf([1, 2, 3], "sample")).toBeCloseTo(1, 12);
  expect([deviationOf([5], "sample"), deviationOf([], "population"), meanOf([])]).toEqual([
    0, 0, 0,
  ]);
});

test("quantiles interpolate between sorted values and do not sort what they are given", () => {
  const values = [3, 1, 2, 4];
  expect([0, 0.5, 1].map((q) => quantileOf(values, q))).toEqual([1, 2.5, 4]);
  expect(quantileOf(values, 0.25)).toBeCloseTo(1.75, 12);
  expect(values).toEqual([3, 1, 2, 4]);
});

test("argMax returns the first of equal values; keys keep their order", () => {
  expect([argMax([1, 3, 3]), argMax([]), argMax([-2, -1])]).toEqual([1, -1, 1]);
  expect([...indicesByKey(["b", "a", "b"])]).toEqual([
    ["b", [0, 2]],
    ["a", [1]],
  ]);
});

test.each([Number.NaN, -0.1, 1.1])("%s is not inside [0, 1]", (value) => {
  expect(() => requireInside("share", value, 0, 1)).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("draws are distinct entries of the list, and the same for the same seed", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), fc.nat(12), fc.nat(), (items, count, seed) => {
      const drawn = drawUniform(items, count, mulberry32(seed));
      expect(drawn).toHaveLength(Math.min(count, items.length));
      expect(new Set(drawn).size).toBe(drawn.length);
      expect(drawn.every((item) => items.includes(item))).toBe(true);
      expect(drawUniform(items, count, mulberry32(seed))).toEqual(drawn);
    }),
  );
});
