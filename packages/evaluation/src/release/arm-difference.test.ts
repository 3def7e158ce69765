import { expect, test } from "vitest";
import { armDifference } from "./arm-difference.ts";
import { type ArmSums, EMPTY_ARM, withValue } from "./arm-sums.ts";

/** An arm from the outcomes of its visitors. */
function arm(visitors: readonly (readonly number[])[]): ArmSums {
  let sums = EMPTY_ARM;
  for (const values of visitors) {
    for (const [i, value] of values.entries()) {
      const total = values.slice(0, i).reduce((a, b) => a + b, 0);
      sums = withValue(sums, { values: i, total }, value);
    }
  }
  return sums;
}

/** `solved` of `all` visitors with one request each. */
function single(solved: number, all: number): ArmSums {
  return arm(Array.from({ length: all }, (_, i) => [i < solved ? 1 : 0]));
}

test("one request per visitor gives the difference of two shares and its textbook error", () => {
  const found = armDifference([{ candidate: single(12, 40), stable: single(80, 160) }]);
  // Shares 0.3 and 0.5; size 40 · 160 / 200; the larger variance is 0.5 · 0.5 · 160 / 159.
  expect(found?.difference).toBeCloseTo(-0.2, 12);
  expect(found?.size).toBeCloseTo(32, 12);
  expect(found?.error).toBeCloseTo(Math.sqrt((0.25 * 160) / 159 / 32), 12);
  expect(found?.visitors).toBe(40);
});

test("visitors whose requests all end alike count about once, not once per request", () => {
  const alike = Array.from({ length: 50 }, (_, i) => Array<number>(4).fill(i % 2));
  const candidate = arm(alike);
  const stable = arm([...alike, ...alike]);
  const clustered = armDifference([{ candidate, stable }]);
  const naive = armDifference([{ candidate: single(100, 200), stable: single(200, 400) }]);
  expect(clustered?.difference).toBeCloseTo(0, 12);
  // Four equal outcomes have four times the variance per value, except for the correction by visitors.
  const corrections = 50 / 49 / (200 / 199);
  expect(((clustered?.error ?? 0) / (naive?.error ?? 1)) ** 2).toBeCloseTo(4 * corrections, 10);
});

test("a change over time is no difference between the arms, but would be if stages were added up", () => {
  const early = { candidate: single(8, 10), stable: single(792, 990) };
  const late = { candidate: single(100, 500), stable: single(100, 500) };
  expect(armDifference([early, late])?.difference).toBeCloseTo(0, 12);
  const pooled = { candidate: single(108, 510), stable: single(892, 1490) };
  expect(armDifference([pooled])?.difference).toBeCloseTo(-0.387, 3);
});

test("stages are weighted by n m / (n + m)", () => {
  const first = { candidate: single(5, 10), stable: single(36, 90) };
  const second = { candidate: single(20, 50), stable: single(30, 50) };
  const found = armDifference([first, second]);
  // (9 · 0.1 + 25 · (−0.2)) / 34.
  expect(found?.difference).toBeCloseTo(-4.1 / 34, 12);
  expect(found?.size).toBeCloseTo(34, 12);
});

test("a small arm of equal outcomes does not look precise", () => {
  const found = armDifference([{ candidate: single(0, 5), stable: single(10, 200) }]);
  expect(found?.error).toBeGreaterThan(0.09);
});

test("without two visitors in each arm, or a stage with both arms, there is no difference", () => {
  const one = { candidate: single(1, 1), stable: single(5, 10) };
  const apart = [
    { candidate: single(1, 5), stable: EMPTY_ARM },
    { candidate: EMPTY_ARM, stable: single(1, 5) },
  ];
  expect([armDifference([]), armDifference([one]), armDifference(apart)]).toEqual([
    null,
    null,
    null,
  ]);
});

test("sums that contradict each other are refused by the name of their arm", () => {
  const wrong = { ...single(5, 10), total: 11 };
  expect(() => armDifference([{ candidate: single(1, 2), stable: wrong }])).toThrow(
    /the sums of the stable version/,
  );
});
