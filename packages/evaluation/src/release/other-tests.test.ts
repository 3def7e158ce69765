import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { likelihoodRatioBoundary, type OutcomeBlock, twoByTwoAlarm } from "./other-tests.ts";

const block = (
  isSuccess: boolean,
  stableSuccesses: number,
  stableValues: number,
): OutcomeBlock => ({
  isSuccess,
  stableSuccesses,
  stableValues,
});

const BLOCKS = Array.from({ length: 3 }, () => [
  block(false, 3, 5),
  block(false, 9, 12),
  block(true, 4, 8),
  block(false, 2, 2),
  block(false, 0, 0),
  block(false, 10, 15),
]).flat();

// The capital after each block was multiplied out in plain Python: 5.200 after the seventh, 31.976 after the
// fourteenth and 52.051 after the last.
test.each([
  [1 / 5.19, 6],
  [1 / 5.21, 7],
  [1 / 31.9, 13],
  [1 / 52.05, 17],
  [1 / 52.06, null],
])("at a rate of %f the 2×2 test finds the difference at a known block", (falseAlarm, index) => {
  expect(twoByTwoAlarm(BLOCKS, { falseAlarm, effect: 0.2 })).toBe(index);
});

test("the 2×2 test raises false alarms less often than its rate", () => {
  let alarms = 0;
  for (let run = 0; run < 500; run += 1) {
    const random = seededRandom(run, 20);
    const draw = (count: number): number =>
      Array.from({ length: count }, () => (random() < 0.5 ? 1 : 0)).reduce(
        (a: number, b) => a + b,
        0,
      );
    const blocks = Array.from({ length: 200 }, () => block(draw(1) === 1, draw(5), 5));
    if (twoByTwoAlarm(blocks, { falseAlarm: 0.1, effect: 0.1 }) !== null) alarms += 1;
  }
  expect(alarms).toBeGreaterThan(15);
  expect(alarms).toBeLessThanOrEqual(50);
});

test("the likelihood ratio crosses where its logarithm is the logarithm of one over the rate", () => {
  // −ln 0.01 / (0.2 √400) + 0.2 √400 / 2.
  const height = likelihoodRatioBoundary(400, { falseAlarm: 0.01, effect: 0.2 });
  expect(height).toBeCloseTo(3.1512925464970225, 12);
});

test.each([0, 1, Number.NaN])("an effect of %f is refused", (effect) => {
  expect(() => twoByTwoAlarm([], { falseAlarm: 0.01, effect })).toThrow(/effect must be in/);
});
