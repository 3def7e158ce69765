import fc from "fast-check";
import { expect, test } from "vitest";
import { pairedDifference } from "./paired-difference.ts";
import { successRate } from "./success-rate.ts";
import { mean, median, quantile } from "./summary.ts";

function outcomes(successes: number, trials: number): boolean[] {
  return Array.from({ length: trials }, (_, index) => index < successes);
}

// Newcombe 1998, Statistics in Medicine 17, table I, method 3 (Wilson).
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])("the interval of %i successes in %i trials is Wilson's", (successes, trials, low, high) => {
  const { interval, rate } = successRate(outcomes(successes, trials));
  expect(rate).toBe(successes / trials);
  expect(interval.low).toBeCloseTo(low, 4);
  expect(interval.high).toBeCloseTo(high, 4);
});

test("an interval contains the rate and narrows with more trials", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 50 }), (successes) => {
      const small = successRate(outcomes(successes, 50));
      const large = successRate(outcomes(successes * 10, 500));
      expect(small.interval.low).toBeLessThanOrEqual(small.rate);
      expect(small.interval.high).toBeGreaterThanOrEqual(small.rate);
      const width = (rate: typeof small) => rate.interval.high - rate.interval.low;
      expect(width(large)).toBeLessThan(width(small));
    }),
  );
});

test("a success rate without outcomes is refused", () => {
  expect(() => successRate([])).toThrow(/without outcomes/);
});

// By hand: 8 gained, 2 lost. p = 2 (C(10,0) + C(10,1) + C(10,2)) / 2^10 = 112/1024.
test("8 gained and 2 lost tasks give the exact McNemar p-value", () => {
  const baseline = [...outcomes(2, 10), ...outcomes(5, 10)];
  const candidate = [...outcomes(2, 10).map((success) => !success), ...outcomes(5, 10)];
  const result = pairedDifference(baseline, candidate);
  expect(result).toMatchObject({ tasks: 20, gained: 8, lost: 2, difference: 0.3 });
  expect(result.pValue).toBeCloseTo(112 / 1024, 12);
  expect(result.interval.low).toBeLessThan(0.3);
  expect(result.interval.high).toBeGreaterThan(0.3);
});

test("policies that never disagree have p-value 1", () => {
  expect(pairedDifference(outcomes(3, 9), outcomes(3, 9))).toMatchObject({
    difference: 0,
    pValue: 1,
  });
});

test("swapping the policies negates the difference", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 1 }), (pairs) => {
      const a = pairs.map(([first]) => first);
      const b = pairs.map(([, second]) => second);
      const there = pairedDifference(a, b);
      const back = pairedDifference(b, a);
      expect(back.difference).toBeCloseTo(-there.difference, 12);
      expect(back.pValue).toBeCloseTo(there.pValue, 12);
      expect(back.interval.low).toBeCloseTo(-there.interval.high, 12);
    }),
  );
});

test("a p-value over thousands of disagreements does not underflow", () => {
  const { pValue } = pairedDifference(outcomes(2000, 4000), outcomes(2000, 4000).reverse());
  expect(pValue).toBe(1);
});

test("outcome lists of different lengths and empty lists are refused", () => {
  expect(() => pairedDifference([true], [true, false])).toThrow(
    /1 baseline and 2 candidate outcomes/,
  );
  expect(() => pairedDifference([], [])).toThrow(/without tasks/);
});

// numpy 1.24: np.quantile([3, 1, 2, 10], [0.25, 0.9]) = [1.75, 7.9]
test("quantiles interpolate like numpy", () => {
  expect(quantile([3, 1, 2, 10], 0.25)).toBeCloseTo(1.75, 12);
  expect(quantile([3, 1, 2, 10], 0.9)).toBeCloseTo(7.9, 12);
  expect(median([3, 1, 2, 10])).toBe(2.5);
  expect(mean([3, 1, 2, 10])).toBe(4);
  expect(() => median([])).toThrow(/empty list/);
  expect(() => quantile([1], 2)).toThrow(/q must be/);
});
