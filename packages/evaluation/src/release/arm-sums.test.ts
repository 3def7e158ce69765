import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type ArmSums,
  EMPTY_ARM,
  MAX_VALUES_PER_VISITOR,
  requireArmSums,
  type VisitorSums,
  withValue,
} from "./arm-sums.ts";

/** The sums as they are defined, from each visitor's values. */
function slowSums(visitors: readonly (readonly number[])[]): ArmSums {
  const counted = visitors.map((values) => values.slice(0, MAX_VALUES_PER_VISITOR));
  const sum = (of: (n: number, y: number) => number): number =>
    counted.reduce(
      (all, values) =>
        all +
        of(
          values.length,
          values.reduce((a, b) => a + b, 0),
        ),
      0,
    );
  return {
    visitors: counted.filter((values) => values.length > 0).length,
    values: sum((n) => n),
    total: sum((_, y) => y),
    squaredValues: sum((n) => n * n),
    products: sum((n, y) => n * y),
    squaredTotals: sum((_, y) => y * y),
  };
}

const requests = fc.array(fc.tuple(fc.nat(5), fc.double({ min: 0, max: 1, noNaN: true })), {
  maxLength: 80,
});

test("value by value, in any order of visitors, the sums equal their definition", () => {
  fc.assert(
    fc.property(requests, (list) => {
      const values: number[][] = Array.from({ length: 6 }, () => []);
      const visitors: VisitorSums[] = Array.from({ length: 6 }, () => ({ values: 0, total: 0 }));
      let arm = EMPTY_ARM;
      for (const [who, value] of list) {
        const before = visitors[who] ?? { values: 0, total: 0 };
        arm = withValue(arm, before, value);
        visitors[who] = { values: before.values + 1, total: before.total + value };
        values[who]?.push(value);
      }
      const expected = slowSums(values);
      for (const key of Object.keys(expected) as (keyof ArmSums)[]) {
        expect(arm[key]).toBeCloseTo(expected[key], 8);
      }
      requireArmSums(arm, "the arm");
    }),
  );
});

test("a visitor counts at most ten times", () => {
  const full = { values: MAX_VALUES_PER_VISITOR, total: 3 };
  const arm = { ...EMPTY_ARM, visitors: 1, values: 10, total: 3 };
  expect(withValue(arm, full, 1)).toBe(arm);
  expect(withValue(arm, { values: 9, total: 3 }, 1).values).toBe(11);
});

const REAL = slowSums([[1, 0], [1], [0, 0, 1], [1, 1]]);

test.each<[string, Partial<ArmSums>]>([
  ["half a visitor", { visitors: 3.5 }],
  ["a negative total", { total: -1 }],
  ["more successes than values", { total: 9 }],
  ["fewer values than visitors", { visitors: 9 }],
  ["squares that are too small", { squaredValues: 9 }],
  ["squares of more than ten values", { squaredValues: 90, products: 20 }],
  ["products above Cauchy's bound", { squaredTotals: 4 }],
  ["no number", { total: Number.NaN }],
  ["an infinite count", { values: Infinity }],
])("sums with %s are refused", (_, change) => {
  expect(() => requireArmSums(REAL, "the arm")).not.toThrow();
  expect(() => requireArmSums({ ...REAL, ...change }, "the arm")).toThrow(
    /the sums of the arm contradict each other/,
  );
});

test.each([-0.1, 1.1, Number.NaN])("a value of %f is refused", (value) => {
  expect(() => withValue(EMPTY_ARM, { values: 0, total: 0 }, value)).toThrow(/in \[0, 1\]/);
});
