import { seededRandom } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { fallTest } from "./fall-test.ts";

const OPTIONS = { tolerance: 0.05, falseAlarm: 0.001 };

/** Mean rewards of groups of eight rollouts, one task per group. Tasks differ in difficulty. */
function groupMeans(rate: number, groups: number, seed: number): number[] {
  const draw = seededRandom(seed);
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
    const rate = alarmRate(0.6, 0.6, sampleSize(300, 1000), { tolerance: 0, falseAlarm: 0.1 });
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

  // The capital of each stake was multiplied out in plain Python.
  test.each([
    [0.1, 16, 0.765625, 0.28125],
    [0, 11, 8.5 / 11, 3 / 11],
    [0.3, 41, 31 / 41, 11.25 / 41],
  ])("above a tolerance of %f is found at a known pair", (tolerance, pairs, before, now) => {
    const earlier = Array.from({ length: 6 }, () => [1, 0.5, 1, 0.75, 0.5, 1, 1, 0.25, 1, 0.5]);
    const later = Array.from({ length: 6 }, () => [
      0.25, 0.5, 0, 0.25, 0.25, 0.5, 0, 0.25, 0.5, 0.25,
    ]);
    const found = fallTest(earlier.flat(), later.flat(), { tolerance, falseAlarm: 0.05 });
    expect(found).toMatchObject({ pairs, hasFallen: true });
    expect(found.before).toBeCloseTo(before, 12);
    expect(found.now).toBeCloseTo(now, 12);
  });

  test("is tested on as many pairs as both lists allow", () => {
    const test = fallTest([1, 0.5, 1], [0.5, 0.5], OPTIONS);
    expect(test).toEqual({ pairs: 2, before: 0.75, now: 0.5, hasFallen: false });
  });
});

test("no pairs give no alarm, and numbers outside [0, 1] are refused", () => {
  expect(fallTest([], [1], OPTIONS)).toEqual({ pairs: 0, before: 0, now: 0, hasFallen: false });
  const refusal = expect.objectContaining({ code: "INVALID_ARGUMENT" }) as object;
  for (const unit of [1.5, -0.5, Number.NaN]) {
    expect(() => fallTest([unit], [0], OPTIONS)).toThrow(/between 0 and 1/);
    expect(() => fallTest([0], [unit], OPTIONS)).toThrow(refusal);
  }
});
