/**
 * Weights and masks for off-policy data, compared with `golden/losses.py` and checked by their properties.
 */
import { expect, test } from "vitest";
import golden from "../golden/losses.json" with { type: "json" };
import { paddedMinibatch, randomMinibatch } from "../losses/minibatch.fixture.ts";
import { clippedSurrogate } from "../losses/policy/clipped-surrogate.ts";
import { icePopWeights, sequenceBandMask, tokenBandMask, vetoOutliers } from "./band-masks.ts";
import type { Correction, CorrectionBatch } from "./correction.ts";
import { maskDivergentTokens, offPolicySequenceMask } from "./divergence-masks.ts";
import { effectiveSamples, effectiveSampleSize } from "./effective-sample-size.ts";
import { truncatedImportanceWeights, truncatedSequenceWeights } from "./importance-weights.ts";
import { logLinearProximal } from "./log-linear-proximal.ts";
import { mismatchMetrics, offPolicyMetrics } from "./mismatch.ts";
import { secondMomentMask } from "./second-moment-mask.ts";

const { policyLogProbs, proximalLogProbs, behaviorLogProbs } = golden.inputs;

const lossMask = golden.inputs.lossMask.map((row) => row.map((m) => m === 1));

const batch = { lossMask, proximalLogProbs, behaviorLogProbs };

/** Entries under the mask, in order. */
const kept = (rows: readonly ArrayLike<number>[]): number[] =>
  rows.flatMap((row, b) => Array.from(row).filter((_, t) => lossMask[b]?.[t]));

/** The common value of each sequence. */
const bySequence = (rows: readonly ArrayLike<number>[]): number[] =>
  rows.map((row, b) => Math.max(...Array.from(row).filter((_, t) => lossMask[b]?.[t])));

const single = (ratio: number): CorrectionBatch => ({
  lossMask: [[true]],
  proximalLogProbs: [[Math.log(ratio) - 1]],
  behaviorLogProbs: [[-1]],
});

test("sequence weights and effective sample size agree with the reference", () => {
  for (const [b, value] of bySequence(truncatedSequenceWeights(batch, 2).weights).entries()) {
    expect(value).toBeCloseTo(golden.sequenceWeights2[b]!, 12);
  }
  const { weights } = truncatedImportanceWeights(batch, 2);
  expect(effectiveSampleSize(weights, lossMask)).toBeCloseTo(
    golden.tokenWeights2.effectiveSampleSize,
    12,
  );
});

test("band masks and IcePop agree with the reference", () => {
  const bounds = { lowest: 0.5, highest: 2 };
  const { weights, metrics } = tokenBandMask(batch, bounds);
  expect(kept(weights)).toEqual(golden["keptInBand0.5to2"]);
  expect(metrics).toEqual({ tokenBandKept: 5 / 6 });
  const weighted = kept(icePopWeights(batch, bounds).weights);
  for (const [i, isIn] of golden["keptInBand0.5to2"].entries()) {
    // No ratio inside the band exceeds the cap of the truncated weights.
    expect(weighted[i]).toBeCloseTo(isIn * golden.tokenWeights2.weights[i]!, 12);
  }
});

test("bounds are ratios, not their inverses: an asymmetric band keeps 1.9 and drops 0.6", () => {
  const bounds = { lowest: 0.8, highest: 2 };
  const isKept = (ratio: number): (number | undefined)[] => [
    tokenBandMask(single(ratio), bounds).weights[0]?.[0],
    sequenceBandMask(single(ratio), bounds, "product").weights[0]?.[0],
    sequenceBandMask(single(ratio), bounds, "geometric-mean").weights[0]?.[0],
  ];
  expect(isKept(1.9)).toEqual([1, 1, 1]);
  expect(isKept(0.6)).toEqual([0, 0, 0]);
  expect(isKept(2.1)).toEqual([0, 0, 0]);
});

test("a sequence is kept or dropped by the product of its ratios or by their geometric mean", () => {
  // Reference: products 1 and 1.733, geometric means 1 and 1.2012.
  const [one, two] = golden.geometricRatios;
  expect(one).toBeCloseTo(1, 12);
  const at = (highest: number, measure: "product" | "geometric-mean"): number[] =>
    bySequence(sequenceBandMask(batch, { lowest: 0.9, highest }, measure).weights);
  expect(at(1.74, "product")).toEqual([1, 1]);
  expect(at(1.73, "product")).toEqual([1, 0]);
  expect(at(two! + 1e-9, "geometric-mean")).toEqual([1, 1]);
  expect(at(two! - 1e-9, "geometric-mean")).toEqual([1, 0]);
});

test("one extreme ratio drops its own sequence only", () => {
  const rows = {
    lossMask: [
      [true, true, true],
      [true, false],
    ],
    proximalLogProbs: [
      [-1, -1, -1],
      [-1, -1],
    ],
    behaviorLogProbs: [
      [-1, -1 - Math.log(101), -1],
      [-1, -99],
    ],
  };
  const { weights, metrics } = vetoOutliers(rows);
  expect(weights.map((row) => [...row])).toEqual([
    [0, 0, 0],
    [1, 0],
  ]);
  expect(metrics).toEqual({ outlierVetoKept: 0.5 });
  expect(vetoOutliers(rows, { lowest: 1e-4, highest: 102 }).metrics).toEqual({
    outlierVetoKept: 1,
  });
});

test("k2 and k3 masks keep sequences up to the limit", () => {
  for (const [estimator, values] of [
    ["k2", golden.sequenceK2],
    ["k3", golden.sequenceK3],
  ] as const) {
    const [low, high] = values.toSorted((a, b) => a - b) as [number, number];
    expect(bySequence(maskDivergentTokens(batch, estimator, high + 1e-12).weights)).toEqual([1, 1]);
    const one = bySequence(maskDivergentTokens(batch, estimator, (low + high) / 2).weights);
    expect(one).toEqual(values.map((value) => (value === low ? 1 : 0)));
    expect(maskDivergentTokens(batch, estimator, low - 1e-12).metrics).toEqual({
      divergenceMaskKept: 0,
    });
  }
});

test("OPSM drops only sequences of negative advantage that became less likely", () => {
  const [first, second] = golden.offPolicyDivergence as [number, number];
  const at = (advantages: readonly number[], limit: number): number[] =>
    bySequence(
      offPolicySequenceMask(
        { lossMask, sequenceAdvantages: advantages, policyLogProbs, behaviorLogProbs },
        limit,
      ).weights,
    );
  expect(at([1, -0.5], 0.1)).toEqual([1, 1]);
  expect(at([-1, -1], Math.min(first, second) - 1e-9)).toEqual([0, 0]);
  expect(at([0, 1], -99)).toEqual([1, 1]);
  expect(at([-1, 1], first - 1e-9)).toEqual([0, 1]);
});

test("M2PO drops the fewest tokens, the largest first, until the second moment is within the limit", () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const random = randomMinibatch(seed);
    const squares = random.lossMask.flatMap((row, b) =>
      row.flatMap((isIn, t) =>
        isIn ? [(random.proximalLogProbs[b]![t]! - random.behaviorLogProbs[b]![t]!) ** 2] : [],
      ),
    );
    const limit = 0.01;
    const stay = secondMomentMask(random, limit).weights;
    const staying = squares.filter((_, i) => {
      const flat = random.lossMask.flatMap((row, b) =>
        row.flatMap((isIn, t) => (isIn ? [stay[b]![t]!] : [])),
      );
      return flat[i] === 1;
    });
    const mean = (values: readonly number[]): number =>
      values.reduce((a, b) => a + b, 0) / values.length;
    expect(staying.length === 0 || mean(staying) <= limit).toBe(true);
    const next = squares.toSorted((a, b) => a - b).slice(0, staying.length + 1);
    expect(next.length === staying.length || mean(next) > limit).toBe(true);
    expect(Math.max(0, ...staying)).toBeLessThanOrEqual(next.at(-1)!);
  }
});

test("the log-linear proximal policy interpolates between the two by versions", () => {
  const rows = { lossMask, policyLogProbs, behaviorLogProbs };
  const halfway = logLinearProximal(
    { ...rows, behaviorVersions: lossMask.map((row) => row.map(() => 4)) },
    { proximal: 5, policy: 6 },
  );
  for (const [b, row] of golden["logLinearProximal0.5"].entries()) {
    for (const [t, value] of row.entries()) expect(halfway[b]?.[t]).toBeCloseTo(value, 12);
  }
  const versions = [
    [6, 5, 4, 2],
    [2, 2, 2, 7],
  ];
  const mixed = logLinearProximal(
    { ...rows, behaviorVersions: versions },
    { proximal: 5, policy: 6 },
  );
  const alpha = (b: number, t: number): number =>
    (mixed[b]![t]! - behaviorLogProbs[b]![t]!) /
    (policyLogProbs[b]![t]! - behaviorLogProbs[b]![t]!);
  expect(alpha(0, 0)).toBeCloseTo(1, 12);
  expect(alpha(0, 1)).toBeCloseTo(0, 12);
  expect(alpha(0, 3)).toBeCloseTo(0.75, 12);
  expect(() =>
    logLinearProximal({ ...rows, behaviorVersions: versions }, { proximal: 7, policy: 6 }),
  ).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("the mismatch of sampler and trainer agrees with the reference", () => {
  const metrics = mismatchMetrics(batch);
  expect(metrics.mismatchK1).toBeCloseTo(golden.klOfProximal.k1, 12);
  expect(metrics.mismatchK2).toBeCloseTo(golden.klOfProximal.k2, 12);
  expect(metrics.mismatchK3).toBeCloseTo(golden.klOfProximal.k3, 12);
  expect(metrics.mismatchAbsolute).toBeCloseTo(0.175, 12);
  expect(metrics.mismatchChiSquared).toBeCloseTo(golden.chiSquared, 12);
});

test("with weights, the expected gradient on stale samples equals that on fresh ones; without, it does not", () => {
  const policy = [0.6, 0.3, 0.1];
  const sampler = [0.2, 0.3, 0.5];
  const advantage = [1, -0.5, 0.2];
  /** Expectation over samples of `from` of slope · d log π / d logit j, by enumeration of all actions. */
  const expectedGradient = (from: readonly number[], isWeighted: boolean): number[] =>
    policy.map((pj, j) =>
      from.reduce((sum, chance, action) => {
        const rows = {
          lossMask: [[true]],
          proximalLogProbs: [[Math.log(policy[action]!)]],
          behaviorLogProbs: [[Math.log(from[action]!)]],
        };
        const { derivatives } = clippedSurrogate(
          {
            ...rows,
            advantages: [[advantage[action]!]],
            policyLogProbs: rows.proximalLogProbs,
            weights: isWeighted ? truncatedImportanceWeights(rows, Infinity).weights : undefined,
          },
          { lower: 0.2, upper: 0.28 },
        );
        const slope = derivatives.logProb![0]![0]!;
        return sum + chance * slope * ((action === j ? 1 : 0) - pj);
      }, 0),
    );
  const fresh = expectedGradient(policy, false);
  const [weighted, unweighted] = [true, false].map((is) => expectedGradient(sampler, is));
  for (const [j, value] of fresh.entries()) expect(weighted![j]).toBeCloseTo(value, 12);
  const error = fresh.map((value, j) => Math.abs(unweighted![j]! - value));
  expect(Math.max(...error)).toBeGreaterThan(0.05);
});

const CORRECTIONS: { readonly [name: string]: (given: CorrectionBatch) => Correction } = {
  tokenWeights: (given) => truncatedImportanceWeights(given, 2),
  sequenceWeights: (given) => truncatedSequenceWeights(given, 2),
  tokenBand: (given) => tokenBandMask(given, { lowest: 0.9, highest: 1.1 }),
  icePop: (given) => icePopWeights(given, { lowest: 0.9, highest: 1.1 }),
  sequenceBand: (given) => sequenceBandMask(given, { lowest: 0.9, highest: 1.1 }, "product"),
  geometricBand: (given) =>
    sequenceBandMask(given, { lowest: 0.95, highest: 1.05 }, "geometric-mean"),
  outlierVeto: (given) => vetoOutliers(given),
  k3Mask: (given) => maskDivergentTokens(given, "k3", 0.005),
  secondMoment: (given) => secondMomentMask(given, 0.01),
};

test.each(Object.entries(CORRECTIONS))(
  "%s: on-policy, every weight is 1, and 0 outside the mask, with or without padding",
  (_, correct) => {
    const random = randomMinibatch(9);
    const own = { ...random, behaviorLogProbs: random.proximalLogProbs };
    const expected = random.lossMask.map((row) => row.map((isIn) => (isIn ? 1 : 0)));
    expect(correct(own).weights.map((row) => [...row])).toEqual(expected);
    expect(correct(paddedMinibatch(own)).weights.map((row) => [...row])).toEqual(
      expected.map((row) => [...row, 0, 0]),
    );
    const none = { ...own, lossMask: random.lossMask.map((row) => row.map(() => false)) };
    expect(correct(none).weights.flatMap((row) => [...row])).not.toContain(1);
    expect(Object.values(correct(none).metrics).every(Number.isFinite)).toBe(true);
  },
);

test.each(Object.entries(CORRECTIONS))("%s: rows of another shape are refused", (_, correct) => {
  expect(() => correct({ ...batch, behaviorLogProbs: [[0]] })).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
});

test("dropped tokens stay in the denominator: a mask does not scale the derivatives of other tokens", () => {
  const random = randomMinibatch(2);
  const bounds = { lower: 0.2, upper: 0.28 };
  const open = clippedSurrogate({ ...random, weights: undefined }, bounds).derivatives.logProb!;
  const { weights } = tokenBandMask(random, { lowest: 0.9, highest: 1.1 });
  const masked = clippedSurrogate({ ...random, weights }, bounds).derivatives.logProb!;
  let left = 0;
  for (const [b, row] of weights.entries()) {
    for (const [t, weight] of row.entries()) {
      expect(masked[b]![t]! === weight * open[b]![t]!).toBe(true);
      if (weight === 0 && open[b]![t] !== 0) left += 1;
    }
  }
  expect(left).toBeGreaterThan(0);
});

test("off-policy metrics separate numerical error from staleness", () => {
  const metrics = offPolicyMetrics(
    {
      lossMask: [[false, true, true]],
      proximalLogProbs: [[0, -1, -2]],
      behaviorLogProbs: [[0, -1, -1]],
    },
    { recorded: [[9, -1, -1]], rescored: [[0, -1.25, -1]] },
  );
  // Gaps of the recorded values: 0.25 and 0; drifts of the proximal ones: 0.25 and 1.
  expect(metrics).toMatchObject({
    logProbGapMean: 0.125,
    logProbGapMax: 0.25,
    policyDriftMean: 0.625,
    importanceWeightTruncated: 0,
  });
  expect(metrics["importanceWeightMean"]).toBeCloseTo((1 + Math.exp(-1)) / 2, 12);
});

test("equal weights are worth all samples, and one large weight little more than one", () => {
  expect(effectiveSamples([2, 2, 2, 2])).toBeCloseTo(4, 12);
  // (4 + 0.25 · 4)² / (16 + 0.0625 · 4)
  expect(effectiveSamples([4, 0.25, 0.25, 0.25, 0.25])).toBeCloseTo(25 / 16.25, 12);
});
