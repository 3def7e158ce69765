import fc from "fast-check";
import { expect, test } from "vitest";
import { meanAboveZero, studentTail } from "./student-t.ts";

/** Closed forms of the tail for few degrees of freedom. */
const TAILS: readonly [degrees: number, tail: (t: number) => number][] = [
  [1, (t) => 1 / 2 - Math.atan(t) / Math.PI],
  [2, (t) => 1 / 2 - t / (2 * Math.sqrt(2 + t * t))],
  [3, (t) => 1 / 2 - ((Math.sqrt(3) * t) / (3 + t * t) + Math.atan(t / Math.sqrt(3))) / Math.PI],
  [4, (t) => 1 / 2 - (t * (t * t + 6)) / (2 * (4 + t * t) ** 1.5)],
];

test.each(TAILS)("the tail with %i degrees of freedom equals its closed form", (degrees, tail) => {
  fc.assert(
    fc.property(fc.integer({ min: -3000, max: 3000 }), (hundredths) => {
      const t = hundredths / 100;
      expect(studentTail(t, degrees)).toBeCloseTo(tail(t), 11);
    }),
  );
});

test("the tails at infinity are 0 and 1", () => {
  expect([studentTail(Infinity, 3), studentTail(-Infinity, 3)]).toEqual([0, 1]);
});

test("the test of a mean reports its standard error, t and one-sided p-value", () => {
  // The p-value was integrated numerically in plain Python.
  const found = meanAboveZero([0.1, 0.14, 0.12, 0.2, 0.09]);
  expect(found.degrees).toBe(4);
  expect(found.mean).toBeCloseTo(0.13, 12);
  expect(found.error).toBeCloseTo(0.01949358868961793, 12);
  expect(found.t).toBeCloseTo(6.6688592885535005, 10);
  expect(found.pValue).toBeCloseTo(0.0013136043259105695, 12);
});

test("equal differences have no error, so their sign decides", () => {
  expect(meanAboveZero([2, 2])).toMatchObject({ error: 0, t: Infinity, pValue: 0 });
  expect(meanAboveZero([-2, -2])).toMatchObject({ error: 0, t: -Infinity, pValue: 1 });
  expect(meanAboveZero([0, 0])).toMatchObject({ error: 0, t: 0, pValue: 0.5 });
});
