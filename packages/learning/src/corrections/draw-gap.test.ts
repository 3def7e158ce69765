import { sfc32 } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { drawGap } from "./draw-gap.ts";

/** The intervals of all tokens, as the sampler adds them up: by ascending id. */
function intervalsOf(logits: readonly number[], temperature: number): [number, number][] {
  const weights = logits.map((logit) => Math.exp(logit / temperature));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let below = 0;
  return weights.map((weight) => {
    const low = below / sum;
    below += weight;
    return [low, below / sum];
  });
}

const draw = (intervals: readonly [number, number][], uniform: number): number =>
  intervals.findIndex(([low, high]) => uniform >= low && uniform < high);

test("a token that the number selects has no gap, and every other one that is not a neighbor has one", () => {
  const intervals = intervalsOf([0, 0, 0, 0], 1);
  expect(intervals.map((interval) => drawGap(0.3, interval, 1) > 0)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  // log-odds of 0.25 and 0.3: −1.0986 and −0.8473; half of the difference
  expect(drawGap(0.3, [0, 0.25], 1)).toBeCloseTo(0.12566, 4);
  expect(drawGap(0.3, [0, 0.25], 0.5)).toBeCloseTo(0.06283, 4);
  expect(drawGap(0.1, [0.25, 0.5], 1)).toBeCloseTo((Math.log(9) - Math.log(3)) / 2, 9);
});

test("a token that cannot be drawn has an infinite gap", () => {
  expect(drawGap(0.5, [0.5, 0.5], 1)).toBe(Infinity);
  expect(drawGap(0.5, [Number.NaN, Number.NaN], 1)).toBe(Infinity);
});

test("the only allowed token has no gap for any number", () => {
  for (const uniform of [0, 0.5, 1 - 2 ** -53]) expect(drawGap(uniform, [0, 1], 1)).toBe(0);
});

test("logits that differ by ε never cause a gap above ε", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -8, max: 8, noNaN: true }), { minLength: 2, maxLength: 40 }),
      fc.double({ min: 0.5, max: 2, noNaN: true }),
      fc.double({ min: 1e-5, max: 0.3, noNaN: true }),
      fc.integer({ min: 0, max: 0xffff_ffff }),
      (logits, temperature, epsilon, seed) => {
        const random = sfc32(seed);
        const other = logits.map((logit) => logit + epsilon * (2 * random() - 1));
        const uniform = random();
        const token = draw(intervalsOf(logits, temperature), uniform);
        const interval = intervalsOf(other, temperature)[token] as [number, number];
        expect(drawGap(uniform, interval, temperature)).toBeLessThanOrEqual(epsilon * (1 + 1e-6));
      },
    ),
    { numRuns: 2000 },
  );
});
