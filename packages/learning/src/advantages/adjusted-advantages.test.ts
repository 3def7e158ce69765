import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose, expectRowsClose } from "../close.fixture.ts";
import golden from "../golden/advantages.json" with { type: "json" };
import { baselineOf, movingBaseline, movingBaselineAdvantages } from "../states/moving-baseline.ts";
import { exponentialWeights } from "./advantage-weights.ts";
import { batchNormalizedAdvantages } from "./batch-normalized.ts";
import { durationWeightedAdvantages } from "./duration-weighted.ts";
import { entropyWeightedAdvantages } from "./entropy-weighted.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import { perAgentAdvantages } from "./per-agent.ts";
import { recalibratedAdvantages } from "./recalibrated.ts";
import { splitAdvantages } from "./split-channels.ts";

const numbers = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), {
  minLength: 2,
  maxLength: 12,
});

test("only correct rollouts compete in economy: + − 0 0 for rewards 1 1 0 0 and calls 1 5 0 9", () => {
  const success = [1, 1, 0, 0];
  const economy = {
    rewards: [-1, -5, 0, -9],
    weight: 0.1,
    among: success.map((reward) => reward === 1),
  };
  const economyOnly = splitAdvantages([economy]);
  expect(economyOnly.map(Math.sign)).toEqual([1, -1, 0, 0]);
  expectClose(splitAdvantages([{ rewards: success, weight: 1 }, economy]), [0.7, 0.3, -0.5, -0.5]);
});

test("a channel's scale does not drown another channel; with joint normalization it does", () => {
  const small = [1, 0, 1, 0];
  const large = [100, 100, -100, -100];
  const std = { scale: "std" } as const;
  const split = splitAdvantages([
    { rewards: small, weight: 1, options: std },
    { rewards: large, weight: 1, options: std },
  ]);
  expectClose(split, [2, 0, 0, -2], 4);
  const joint = groupRelativeAdvantages(
    small.map((value, i) => value + large[i]!),
    std,
  );
  expect(Math.abs(joint[0]! - joint[1]!)).toBeLessThan(0.02);
});

test("a conditional channel with one member adds nothing", () => {
  expectClose(splitAdvantages([{ rewards: [3, 1], weight: 1, among: [true, false] }]), [0, 0]);
});

test("batch normalization gives mean 0 and deviation 1, and zeros for equal advantages", () => {
  fc.assert(
    fc.property(numbers, (values) => {
      fc.pre(Math.max(...values) - Math.min(...values) > 0.01);
      const normal = batchNormalizedAdvantages(values);
      expect(normal.reduce((a, b) => a + b, 0)).toBeCloseTo(0, 9);
      expect(normal.reduce((a, b) => a + b * b, 0) / normal.length).toBeCloseTo(1, 4);
    }),
  );
  expectClose(batchNormalizedAdvantages([2, 2]), [0, 0]);
});

test("each role has mean 0 on its own scale", () => {
  const advantages = perAgentAdvantages([1, 0, 100, 50], ["a", "a", "b", "b"], (rewards) =>
    groupRelativeAdvantages(rewards, { scale: "std", epsilon: 0 }),
  );
  expectClose(advantages, [1, -1, 1, -1]);
});

test("a win below the current baseline gets no weight, one above it gets its lead", () => {
  expectClose(recalibratedAdvantages([1, 1, 0], [0.4, 1.2, 0.1]), [0.6, 0, 0]);
});

test("the weight of an action is proportional to its duration, with mean 1", () => {
  expectClose(durationWeightedAdvantages([1, 1], [100, 300]), [0.5, 1.5]);
  const stuck = [...Array.from({ length: 20 }, () => 1), 1_000_000];
  const capped = durationWeightedAdvantages(
    stuck.map(() => 1),
    stuck,
    2,
  );
  expect(capped.reduce((a, b) => a + b, 0) / capped.length).toBeCloseTo(1, 9);
  expect(() => durationWeightedAdvantages([1], [0])).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("regression weights are positive, ordered as the advantages, and have mean 1", () => {
  const weights = exponentialWeights([-1, 0, 2], 0.5);
  expect(weights[0]).toBeGreaterThan(0);
  expect(weights[2]! / weights[1]!).toBeCloseTo(20, 9);
  expect(weights.reduce((a, b) => a + b, 0)).toBeCloseTo(3, 9);
});

const lossMask = [
  [false, true, true],
  [true, true, true],
];
const entropies = [
  [9, 0, 2],
  [1, 1, 1],
];
const advantages = [
  [1, 1, 1],
  [-1, -1, 0],
];

test("entropy scales an advantage by its z-score in the batch and flips no sign", () => {
  const rows = entropyWeightedAdvantages(advantages, entropies, lossMask, {
    form: "scaled",
    alpha: 0.4,
  });
  // Mean 1, population deviation √0.4 over the five kept tokens.
  const z = 1 / Math.sqrt(0.4);
  expectRowsClose(rows, [
    [0, 1 - 0.4 * z, 1 + 0.4 * z],
    [-1, -1, 0],
  ]);
});

test("the added form never flips a sign, and α = 0 returns the advantages unchanged", () => {
  const added = (alpha: number) =>
    entropyWeightedAdvantages(advantages, entropies, lossMask, { form: "added", alpha, kappa: 2 });
  expectRowsClose(added(0), [
    [0, 1, 1],
    [-1, -1, 0],
  ]);
  expectRowsClose(added(100), [
    [0, 1, 1.5],
    [-0.5, -0.5, 0],
  ]);
  expect(() =>
    entropyWeightedAdvantages(advantages, entropies, lossMask, { form: "scaled", alpha: 0.5 }),
  ).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("the moving baseline serves single rollouts and agrees with the reference values", () => {
  const first = movingBaselineAdvantages(movingBaseline({ decay: 0.9 }), [1], ["shop"]);
  expect(first.advantages).toEqual([1]);
  const second = movingBaselineAdvantages(first.baseline, [0.5], ["shop"]);
  expect(second.advantages[0]).toBeCloseTo(golden.movingBaseline.second, 12);
  expect(baselineOf(second.baseline, "shop")).toBeCloseTo(golden.movingBaseline.after, 12);
  expect(baselineOf(second.baseline, "toString")).toBe(0);
});

test("a moving baseline survives JSON, and a batch is compared with the baseline before it", () => {
  const start = movingBaseline({ prior: 0.5 });
  const { advantages: both, baseline } = movingBaselineAdvantages(start, [1, 1], ["a", "a"]);
  expect(both).toEqual([0.5, 0.5]);
  expect(JSON.parse(JSON.stringify(baseline))).toEqual(baseline);
  expect(baselineOf(baseline, "a")).toBeCloseTo(0.5 * 0.95 ** 2 + 1 - 0.95 ** 2, 12);
});

test("the baseline converges to the mean return of its own key", () => {
  let baseline = movingBaseline();
  for (let i = 0; i < 400; i += 1) {
    ({ baseline } = movingBaselineAdvantages(baseline, [i % 2, 3], ["a", "b"]));
  }
  expect(baselineOf(baseline, "a")).toBeCloseTo(0.5, 1);
  expect(baselineOf(baseline, "b")).toBeCloseTo(3, 6);
});
