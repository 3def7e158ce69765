import { seededRandom, standardNormal } from "@waggle/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { armDifference } from "./arm-difference.ts";
import { EMPTY_ARM, withValue } from "./arm-sums.ts";
import { mixtureBoundary } from "./mixture-boundary.ts";
import { normalQuantile } from "./normal-quantile.ts";
import { confidenceLimits, sequentialBoundary } from "./sequential-boundary.ts";

const PLANNED = 450;
const OPTIONS = { falseAlarm: 0.01, planned: PLANNED };

/**
 * The chance that Brownian motion is ever above `upper(t)`, or below its negative, at one of the times. By
 * numerical integration as in Armitage, McPherson & Rowe 1969, JRSS A 132(2): the density of the paths that have
 * not crossed, from look to look, on a grid.
 *
 * @param cells - of the grid, per standard deviation between two looks.
 */
function crossing(
  times: readonly number[],
  upper: (time: number) => number,
  sides: 1 | 2,
  cells = 4,
): number {
  const step = Math.sqrt(Math.min(...times.map((t, i) => t - (times[i - 1] ?? 0)))) / cells;
  const reach = Math.ceil((5.5 * Math.sqrt(times.at(-1) ?? 0)) / step);
  let density = new Float64Array(2 * reach + 1);
  density[reach] = 1 / step;
  let before = 0;
  for (const time of times) {
    const gap = time - before;
    const kernel = Array.from(
      { length: Math.ceil((6 * Math.sqrt(gap)) / step) + 1 },
      (_, k) => (step * Math.exp(-((k * step) ** 2) / (2 * gap))) / Math.sqrt(2 * Math.PI * gap),
    );
    const after = new Float64Array(density.length);
    for (const [j, mass] of density.entries()) {
      if (mass === 0) continue;
      for (const [k, weight] of kernel.entries()) {
        if (j + k < after.length) after[j + k] = (after[j + k] ?? 0) + mass * weight;
        if (k > 0 && j >= k) after[j - k] = (after[j - k] ?? 0) + mass * weight;
      }
    }
    const limit = upper(time) / step;
    density = after.map((mass, j) => {
      const at = sides === 2 ? Math.abs(j - reach) : j - reach;
      // A cell that the limit cuts keeps a part.
      return mass * Math.min(1, Math.max(0, limit - at + 0.5));
    });
    before = time;
  }
  return 1 - density.reduce((sum, mass) => sum + mass * step, 0);
}

const looks = (count: number, last: number): number[] =>
  Array.from({ length: count }, (_, i) => (last * (i + 1)) / count);

describe("the integration used as a reference", () => {
  // Constants of O'Brien & Fleming for 5 % on both sides: Jennison & Turnbull 2000, "Group sequential methods
  // with applications to clinical trials", table 2.3.
  test.each([
    [1, 1.96],
    [2, 1.977],
    [5, 2.04],
    [10, 2.087],
  ])("gives the published error of %i looks", (count, constant) => {
    expect(crossing(looks(count, 1), () => constant, 2, 32)).toBeCloseTo(0.05, 3);
  });
});

describe("without a difference", () => {
  const sum = (boundary: (size: number) => number) => (time: number) =>
    boundary(time) * Math.sqrt(time);

  test("the chance of ever crossing the boundary is a little below the rate", () => {
    const chosen = sum((size) => sequentialBoundary(size, OPTIONS));
    const planned = crossing(looks(150, PLANNED), chosen, 1);
    const beyond = crossing(looks(150, 10 * PLANNED), chosen, 1);
    expect(planned).toBeGreaterThan(0.006);
    expect(planned).toBeLessThan(0.01);
    expect(beyond).toBeGreaterThan(0.001);
    expect(beyond).toBeLessThan(0.01);
  });

  test("control: an ordinary test repeated at every look crosses far more often", () => {
    const ordinary = sum(() => normalQuantile(0.01));
    expect(crossing(looks(150, PLANNED), ordinary, 1)).toBeGreaterThan(0.06);
  });
});

// Computed in plain Python with statistics.NormalDist.
test.each([
  [20, 8.198996476386753],
  [100, 4.842233666268331],
  [300, 3.2481088958006903],
  [450, 2.6520698079021954],
  [451, 3.946160980250569],
  [4500, 3.8991792267122345],
])("at a size of %i the boundary has a known height", (size, height) => {
  expect(sequentialBoundary(size, OPTIONS)).toBeCloseTo(height, 10);
});

test.each([
  [10, 11.057324081879862],
  [1350, 3.838374002067636],
  [100_000, 4.239328930220567],
])("at a size of %i the mixture has a known height", (size, height) => {
  const options = { falseAlarm: 0.002, narrowest: 1350 };
  expect(mixtureBoundary(size, options)).toBeCloseTo(height, 10);
});

test("at the size that it is tuned for, the mixture is about as low as any mixture with the same error rate", () => {
  const at = (narrowest: number): number => mixtureBoundary(700, { falseAlarm: 0.01, narrowest });
  for (const other of [100, 300, 500, 1000, 2000, 7000]) {
    expect(at(700)).toBeLessThan(at(other) + 0.01);
  }
});

test("the boundary is above an ordinary test's, and a lower rate raises it", () => {
  const rate = fc.double({ min: 2e-5, max: 0.4, noNaN: true });
  const size = fc.double({ min: 1, max: 1e7, noNaN: true });
  const planned = fc.double({ min: 1, max: 1e5, noNaN: true });
  fc.assert(
    fc.property(rate, size, planned, (falseAlarm, n, plannedSize) => {
      const height = sequentialBoundary(n, { falseAlarm, planned: plannedSize });
      expect(height).toBeGreaterThan(normalQuantile(falseAlarm));
      const lower = { falseAlarm: falseAlarm / 2, planned: plannedSize };
      expect(sequentialBoundary(n, lower)).toBeGreaterThan(height);
    }),
  );
});

/** Runs in which the limits ever miss the true difference, looked at after every tenth pair of visitors. */
function misses(rates: readonly [candidate: number, stable: number], runs: number): number {
  const options = { falseAlarm: 0.05, planned: 200 };
  const [candidateRate, stableRate] = rates;
  let missed = 0;
  for (let run = 0; run < runs; run += 1) {
    const random = seededRandom(run, 18);
    let [candidate, stable] = [EMPTY_ARM, EMPTY_ARM];
    const nobody = { values: 0, total: 0 };
    for (let i = 1; i <= 1000; i += 1) {
      candidate = withValue(candidate, nobody, random() < candidateRate ? 1 : 0);
      stable = withValue(stable, nobody, random() < stableRate ? 1 : 0);
      if (i < 20 || i % 10 > 0) continue;
      const found = armDifference([{ candidate, stable }]);
      if (found === null) continue;
      const { low, high } = confidenceLimits(found, options);
      const truth = candidateRate - stableRate;
      if (truth < low || truth > high) {
        missed += 1;
        break;
      }
    }
  }
  return missed;
}

test.each<[number, number]>([
  [0.5, 0.5],
  [0.4, 0.5],
  [0.9, 0.8],
  [0.1, 0.3],
])("limits at 5 % on each side hold at all times together: rates %f and %f", (...rates) => {
  const missed = misses(rates, 300);
  // At most 10 % of 300 = 30, of which discrete looks and the end at 1000 pairs leave about 24.
  expect(missed).toBeLessThanOrEqual(30);
  expect(missed).toBeGreaterThan(3);
});

test("a sum of normal numbers crosses no more often than the rate", () => {
  let crossed = 0;
  for (let run = 0; run < 2000; run += 1) {
    const random = seededRandom(run, 19);
    for (let n = 1, at = 0; n <= 900; n += 1) {
      at += standardNormal(random);
      if (at > sequentialBoundary(n, { falseAlarm: 0.1, planned: 300 }) * Math.sqrt(n)) {
        crossed += 1;
        break;
      }
    }
  }
  // 10 % of 2000, less for discrete looks: between four standard errors of 150 and 200.
  expect(crossed).toBeGreaterThan(100);
  expect(crossed).toBeLessThanOrEqual(200);
});

test.each([
  [{ falseAlarm: 0, planned: 100 }],
  [{ falseAlarm: 0.6, planned: 100 }],
  [{ falseAlarm: 0.01, planned: 0.5 }],
  [{ falseAlarm: Number.NaN, planned: 100 }],
])("options out of range are refused: %o", (options) => {
  const refusal = expect.objectContaining({ code: "INVALID_ARGUMENT" }) as object;
  expect(() => sequentialBoundary(10, options)).toThrow(refusal);
});
