import { expect, test } from "vitest";
import { interpolated } from "./interpolation.ts";

const CURVE = [
  { x: 4, y: 1 },
  { x: 0, y: 3 },
  { x: 2, y: 7 },
];

test.each([
  ["before the first point", -1, 3],
  ["at a point", 2, 7],
  ["between two points", 0.5, 4],
  ["between two others", 3, 4],
  ["after the last point", 9, 1],
])("the value %s, at x = %d, is %d", (_, x, y) => {
  expect(interpolated(CURVE, x)).toBe(y);
});

test("a curve without points has no value", () => {
  expect(() => interpolated([], 1)).toThrow(/without points/);
});
