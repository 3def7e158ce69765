import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SoftmaxKernel } from "./softmax-kernel.ts";
import type { Weighing } from "./softmax-kernel.ts";

type Weighed = Weighing & { readonly weights: readonly number[] };

/** Slow plain twin. */
function twin(logits: readonly number[], temperature: number): Weighed {
  const maxLogit = logits.reduce((most, logit) => Math.max(most, logit));
  const logs = logits.map((logit) => (logit - maxLogit) / temperature);
  const weights = logs.map((log) => (log <= -708 ? 0 : Math.exp(log)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const weightedLogs = weights.reduce(
    (total, weight, i) => total + (weight === 0 ? 0 : weight * (logs[i] as number)),
    0,
  );
  return { maxLogit, sum, weightedLogs, weights };
}

function weighed(kernel: SoftmaxKernel, logits: readonly number[], temperature: number): Weighed {
  kernel.reserve(logits.length);
  kernel.row.set(logits);
  const sums = kernel.weigh(logits.length, temperature);
  return { ...sums, weights: [...kernel.weights.subarray(0, logits.length)] };
}

/** Largest error of a weight, relative to the documented (5 + |x|) · 2^−52. */
function errorOf(weights: readonly number[], exact: readonly number[]): number {
  const errors = weights.map((weight, i) => {
    const wanted = exact[i] as number;
    if (wanted === 0) return weight === 0 ? 0 : Number.POSITIVE_INFINITY;
    return Math.abs(weight / wanted - 1) / ((5 - Math.log(wanted)) * 2 ** -52);
  });
  return errors.reduce((most, error) => Math.max(most, error), 0);
}

const float = fc.float({ min: -400, max: 400, noNaN: true });
const logitsOf = fc.array(fc.oneof(float, fc.constant(Number.NEGATIVE_INFINITY)), {
  minLength: 1,
  maxLength: 70,
});
/** Powers of two: the kernel multiplies and the twin divides by them, both exactly. */
const temperatureOf = fc.constantFrom(0.0625, 0.5, 1, 2, 8);

describe("weights and sums", () => {
  test("equal those of Math.exp in plain loops", () => {
    const kernel = new SoftmaxKernel();
    fc.assert(
      fc.property(logitsOf, float, temperatureOf, (others, one, temperature) => {
        const logits = [...others, one];
        const expected = twin(logits, temperature);
        const got = weighed(kernel, logits, temperature);
        expect(got.maxLogit).toBe(expected.maxLogit);
        expect(errorOf(got.weights, expected.weights)).toBeLessThan(1);
        expect(got.sum / expected.sum).toBeCloseTo(1, 13);
        expect(got.weightedLogs).toBeCloseTo(expected.weightedLogs, 11);
      }),
      { numRuns: 1000 },
    );
  });

  test("are exact over the whole range of exponents, at a large vocabulary", () => {
    const kernel = new SoftmaxKernel();
    const logits = Array.from({ length: 150_001 }, (_, i) => Math.fround(-i / 211));
    const got = weighed(kernel, logits, 1);
    const expected = twin(logits, 1);
    expect(errorOf(got.weights, expected.weights)).toBeLessThan(1);
    expect(got.sum / expected.sum - 1).toBeCloseTo(0, 12);
    expect(got.weightedLogs / expected.weightedLogs - 1).toBeCloseTo(0, 12);
    // control: less exact weights are detected
    expect(errorOf(expected.weights.map(Math.fround), expected.weights)).toBeGreaterThan(1e4);
  });

  test("have the same bits as plain loops of the same operations, whose rounding is defined", () => {
    const logits = Array.from({ length: 837 }, (_, i) => Math.fround(25 * Math.sin(i * i * 0.37)));
    const kernel = new SoftmaxKernel();
    for (const temperature of [1, 0.7]) {
      const got = weighed(kernel, logits, temperature);
      const maxLogit = Math.max(...logits);
      const sums = [0, 0, 0, 0];
      const logs = [0, 0, 0, 0];
      const weights = logits.map((logit, i) => {
        const x = (logit - maxLogit) * (1 / temperature);
        const weight = exponential(x);
        sums[i % 4] = (sums[i % 4] as number) + weight;
        logs[i % 4] = (logs[i % 4] as number) + weight * x;
        return weight;
      });
      const total = ([a, b, c, d]: readonly number[]): number =>
        (a as number) + (c as number) + ((b as number) + (d as number));
      expect(got).toEqual({ maxLogit, sum: total(sums), weightedLogs: total(logs), weights });
    }
  });

  test("are not affected by a longer row before them, or by growing memory", () => {
    const kernel = new SoftmaxKernel();
    const short = [3, 1, 2, -4, 0.5];
    const before = weighed(kernel, short, 1);
    weighed(
      kernel,
      Array.from({ length: 30_000 }, () => 5),
      1,
    );
    expect(weighed(kernel, short, 1)).toEqual(before);
    expect(weighed(kernel, [2], 1)).toEqual({ maxLogit: 2, sum: 1, weightedLogs: 0, weights: [1] });
  });
});

test("ids without mass have weight exactly 0 and do not affect the entropy", () => {
  const logits = [0, Number.NEGATIVE_INFINITY, -708, -707, -3.4e38, 0];
  const { sum, weightedLogs, weights } = weighed(new SoftmaxKernel(), logits, 1);
  const least = Math.exp(-707);
  expect(weights).toEqual([1, 0, 0, expect.closeTo(least, 300), 0, 1]);
  expect(weights[3]).toBeGreaterThan(0);
  expect(sum).toBe(2);
  expect(weightedLogs / (-707 * least)).toBeCloseTo(1, 12);
});

test.each([
  ["NaN", [1, Number.NaN, 2, 0, -1]],
  ["NaN at the largest's place", [Number.NaN, 2]],
  ["infinite", [1, 2, Number.POSITIVE_INFINITY]],
  ["all impossible", [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]],
  ["none", []],
])("logits that are %s have no sum", (_, logits) => {
  const { sum } = weighed(new SoftmaxKernel(), logits, 1);
  expect(sum).toBeNaN();
});

/** The kernel's operations for a single number, for x above −708. */
function exponential(x: number): number {
  const perPart = Math.LN2 / 256;
  const high = Math.fround(perPart);
  const low = perPart - high + 2.319_046_813_846_299_6e-17 / 256;
  const parts = x * (256 / Math.LN2) + 1.5 * 2 ** 52 - 1.5 * 2 ** 52;
  const rest = x - parts * high - parts * low;
  const series = 1 + rest * (1 + rest * (1 / 2 + rest * (1 / 6 + rest * (1 / 24))));
  const part = ((parts % 256) + 256) % 256;
  let power = 1;
  for (let term = 20; term > 0; term--) power = 1 + (power * (part / 256) * Math.LN2) / term;
  return power * 2 ** ((parts - part) / 256) * series;
}
