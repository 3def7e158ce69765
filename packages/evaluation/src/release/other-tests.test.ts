import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { comparedBoundaries, type OutcomeBlock, twoByTwoAlarm } from "./other-tests.ts";
import { mixtureBoundary } from "./mixture-boundary.ts";
import { RELEASE_DEFAULTS, sizeAfterExposure } from "./release-plan.ts";
import { sequentialBoundary } from "./sequential-boundary.ts";

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

test("the compared boundaries are those of their names, for the plan's rate and exposure", () => {
  const plan = { ...RELEASE_DEFAULTS, primary: { name: "solved" } };
  const planned = sizeAfterExposure(plan, plan.exposure);
  const [chosen, ratio, mixture, ordinary] = Object.values(comparedBoundaries(plan, 0.2));
  expect(chosen?.(400)).toBe(sequentialBoundary(400, { falseAlarm: 0.01, planned }));
  // −ln 0.01 / (0.2 √400) + 0.2 √400 / 2.
  expect(ratio?.(400)).toBeCloseTo(3.1512925464970225, 12);
  expect(mixture?.(400)).toBe(mixtureBoundary(400, { falseAlarm: 0.01, narrowest: planned }));
  expect(ordinary?.(400)).toBeCloseTo(2.3263478740408408, 12);
});

test.each([0, 1, Number.NaN])("an effect of %f is refused", (effect) => {
  expect(() => twoByTwoAlarm([], { falseAlarm: 0.01, effect })).toThrow(/effect must be in/);
});
