import { describe, expect, test } from "vitest";
import { fallTest } from "./fall-test.ts";

const OPTIONS = { tolerance: 0.05, falseAlarm: 0.001 };

/** Lehmer's generator, so that every platform gets the same numbers. */
function uniform(seed: number): () => number {
  let state = (seed * 7919 + 1) % 2_147_483_647;
  const next = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  for (let i = 0; i < 5; i += 1) next();
  return next;
}

/** Mean rewards of groups of eight rollouts, one task per group. Tasks differ in difficulty. */
function groupMeans(rate: number, groups: number, seed: number): number[] {
  const draw = uniform(seed);
  return Array.from({ length: groups }, () => {
    const task = rate + (draw() - 0.5) * Math.min(rate, 1 - rate);
    return Array.from({ length: 8 }, draw).filter((value) => value < task).length / 8;
  });
}

/** Share of runs that raise an alarm within 256 groups, checked after every group. */
function alarmRate(before: number, now: number, runs: number, options = OPTIONS): number {
  const alarms = Array.from({ length: runs }, (_, run) =>
    fallTest(groupMeans(before, 256, 2 * run + 1), groupMeans(now, 256, 2 * run + 2), options),
  ).filter(({ hasFallen }) => hasFallen);
  return alarms.length / runs;
}

describe("an honest version", () => {
  test.each([
    [0.05, 0.05],
    [0.6, 0.6],
    [0.6, 0.57],
    [0.6, 0.9],
    [1, 1],
    [0, 0],
  ])("never raises an alarm in 100 runs: %f before, %f now", (before, now) => {
    expect(alarmRate(before, now, 100)).toBe(0);
  });

  test("raises alarms less often than the bound allows, even at the edge of the tolerance", () => {
    const rate = alarmRate(0.6, 0.6, 1000, { tolerance: 0, falseAlarm: 0.1 });
    expect(rate).toBeGreaterThan(0.005);
    expect(rate).toBeLessThanOrEqual(0.1);
  });
});

describe("a fall", () => {
  test.each([
    [0.6, 0, 30],
    [0.6, 0.3, 90],
    [0.9, 0.5, 60],
    [0.3, 0, 70],
  ])("from %f to %f is found within %i groups in 20 of 20 runs", (before, now, groups) => {
    for (let run = 0; run < 20; run += 1) {
      const found = fallTest(
        groupMeans(before, 256, run + 1000),
        groupMeans(now, 256, run + 2000),
        OPTIONS,
      );
      expect(found.hasFallen).toBe(true);
      expect(found.pairs).toBeLessThanOrEqual(groups);
    }
  });

  test("of the largest size still needs about log(1/α) pairs", () => {
    const found = fallTest(Array(50).fill(1), Array(50).fill(0), OPTIONS);
    // The two largest stakes: 1.887^14 / 10 + 1.814^14 / 10 = 728 + 418, above 1000. After 13 pairs: 616.
    expect(found).toEqual({ pairs: 14, before: 1, now: 0, hasFallen: true });
  });
});

test("no pairs give no alarm, and numbers outside [0, 1] are refused", () => {
  expect(fallTest([], [1], OPTIONS)).toEqual({ pairs: 0, before: 0, now: 0, hasFallen: false });
  expect(() => fallTest([1.5], [0], OPTIONS)).toThrow(/between 0 and 1/);
  expect(() => fallTest([Number.NaN], [0], OPTIONS)).toThrow(/between 0 and 1/);
});
