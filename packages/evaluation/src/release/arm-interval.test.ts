import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { successRate, wilsonInterval } from "../success-rate.ts";
import { armInterval } from "./arm-interval.ts";
import { type ArmSums, EMPTY_ARM, withValue } from "./arm-sums.ts";

/** An arm from the values of its visitors. */
function arm(visitors: readonly (readonly number[])[]): ArmSums {
  let sums = EMPTY_ARM;
  for (const values of visitors) {
    let total = 0;
    for (const [i, value] of values.entries()) {
      sums = withValue(sums, { values: i, total }, value);
      total += value;
    }
  }
  return sums;
}

const width = (one: ReturnType<typeof armInterval>): number => (one?.high ?? 0) - (one?.low ?? 0);

test("with one value per visitor it is Wilson's interval, with one visitor less for the estimated mean", () => {
  const found = armInterval([arm(Array.from({ length: 80 }, (_, i) => [i < 20 ? 1 : 0]))]);
  const wilson = wilsonInterval(0.25, 79);
  expect(found?.low).toBeCloseTo(wilson.low, 12);
  expect(found?.high).toBeCloseTo(wilson.high, 12);
});

test("visitors whose values are all alike count once each", () => {
  const alike = arm(Array.from({ length: 40 }, (_, i) => Array<number>(5).fill(i % 2)));
  const once = arm(Array.from({ length: 40 }, (_, i) => [i % 2]));
  expect(width(armInterval([alike]))).toBeCloseTo(width(armInterval([once])), 10);
});

test("stages are added up, and equal values of all visitors are not certainty", () => {
  const stages = [arm([[1], [1, 1]]), arm([[1, 1, 1], [1]])];
  expect(armInterval(stages)).toEqual(successRate([true, true, true, true]).interval);
  expect(armInterval([arm([[1], [0]]), EMPTY_ARM])).toEqual(armInterval([arm([[1], [0]])]));
});

test("one visitor has no interval, and contradicting sums are refused", () => {
  expect(armInterval([])).toBeNull();
  expect(armInterval([arm([[1, 0, 1]])])).toBeNull();
  expect(() => armInterval([{ ...arm([[1], [0]]), total: 9 }])).toThrow(/contradict/);
});

test("it holds the true rate in 95 % of the arms; counting each value as a visitor does not", () => {
  const random = seededRandom(41);
  const [runs, rate] = [1000, 0.3];
  let [covered, naive] = [0, 0];
  for (let run = 0; run < runs; run += 1) {
    // Half of the visitors always have the value of their first request.
    const visitors = Array.from({ length: 60 }, () => {
      const first = random() < rate ? 1 : 0;
      const isStubborn = random() < 0.5;
      return [
        first,
        ...Array.from({ length: 3 }, () => (isStubborn ? first : random() < rate ? 1 : 0)),
      ];
    });
    const holds = (one: ReturnType<typeof armInterval>): number =>
      one !== null && one.low <= rate && rate <= one.high ? 1 : 0;
    covered += holds(armInterval([arm(visitors)]));
    naive += holds(armInterval([arm(visitors.flat().map((value) => [value]))]));
  }
  expect(covered / runs).toBeGreaterThan(0.93);
  expect(covered / runs).toBeLessThan(0.98);
  expect(naive / runs).toBeLessThan(0.88);
});
