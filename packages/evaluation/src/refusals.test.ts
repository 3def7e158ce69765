/** Every input that the package refuses, with the error's code, and the limits that it accepts. */
import { expect, test } from "vitest";
import { fallTest } from "./fall-test.ts";
import { moderatedTests } from "./moderated-t.ts";
import { pairedDifference } from "./paired-difference.ts";
import { signFlipTest } from "./sign-flip.ts";
import { meanAboveZero } from "./student-t.ts";
import { successRate } from "./success-rate.ts";
import { mean, median, quantile } from "./summary.ts";

const OPTIONS = { tolerance: 0.05, falseAlarm: 0.001 };

test.each<[string, string, () => unknown]>([
  ["a success rate without outcomes", "INVALID_ARGUMENT", () => successRate([])],
  ["a paired difference without tasks", "INVALID_ARGUMENT", () => pairedDifference([], [])],
  ["unlike numbers of outcomes", "SHAPE_MISMATCH", () => pairedDifference([true], [])],
  ["a mean of nothing", "INVALID_ARGUMENT", () => mean([])],
  ["a median of nothing", "INVALID_ARGUMENT", () => median([])],
  ["a quantile above 1", "INVALID_ARGUMENT", () => quantile([1], 1.01)],
  ["a quantile below 0", "INVALID_ARGUMENT", () => quantile([1], -0.01)],
  ["a quantile of NaN", "INVALID_ARGUMENT", () => quantile([1], Number.NaN)],
  ["a test of one difference", "INVALID_ARGUMENT", () => meanAboveZero([1])],
  ["tests of one seed", "INVALID_ARGUMENT", () => moderatedTests([[1], [2]])],
  [
    "unlike numbers of seeds",
    "SHAPE_MISMATCH",
    () =>
      moderatedTests([
        [1, 2],
        [1, 2, 3],
      ]),
  ],
  ["a sign test of nothing", "INVALID_ARGUMENT", () => signFlipTest([])],
  ["a sign test of 21 differences", "INVALID_ARGUMENT", () => signFlipTest(Array(21).fill(1))],
  ["a unit above 1", "INVALID_ARGUMENT", () => fallTest([1.5], [0], OPTIONS)],
  ["a later unit below 0", "INVALID_ARGUMENT", () => fallTest([0], [-0.5], OPTIONS)],
  ["a unit of NaN", "INVALID_ARGUMENT", () => fallTest([Number.NaN], [0], OPTIONS)],
])("%s is refused with %s", (_, code, call) => {
  expect(call).toThrow(expect.objectContaining({ code }) as object);
});

test("the limits themselves are accepted", () => {
  expect([quantile([3, 1, 2], 0), quantile([3, 1, 2], 1)]).toEqual([1, 3]);
  expect(signFlipTest([5])).toBe(1 / 2);
  expect(signFlipTest(Array(20).fill(1))).toBe(1 / 2 ** 20);
  expect(meanAboveZero([1, 2]).degrees).toBe(1);
  expect(fallTest([1, 0], [0, 1], OPTIONS).hasFallen).toBe(false);
  expect(successRate([true, true]).interval.high).toBe(1);
});

test("sums that differ by rounding alone count as equal in a sign test", () => {
  // 0.1 + 0.2 − 0.3 is 5.6e-17.
  expect(signFlipTest([0.1, 0.2, -0.3])).toBe(5 / 8);
  expect(signFlipTest([-0.1, -0.2, 0.3])).toBe(5 / 8);
  expect([signFlipTest([1, -1]), signFlipTest([1, -1 + 1e-9])]).toEqual([3 / 4, 2 / 4]);
});
