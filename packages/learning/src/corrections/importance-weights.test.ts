import { expect, test } from "vitest";
import golden from "../../../../test/golden/learning/learning.json" with { type: "json" };
import { clippedSurrogate } from "../losses/policy/clipped-surrogate.ts";
import { truncatedImportance, truncatedImportanceWeights } from "./importance-weights.ts";

const lossMask = golden.inputs.lossMask.map((row) => row.map((m) => m === 1));

const batch = {
  lossMask,
  proximalLogProbs: golden.inputs.proximalLogProbs,
  behaviorLogProbs: golden.inputs.behaviorLogProbs,
};

test("agree with the reference values", () => {
  const { weights, metrics } = truncatedImportanceWeights(batch, golden.truncatedWeights.cap);
  const kept = weights.flatMap((row, b) => Array.from(row).filter((_, t) => lossMask[b]?.[t]));
  expect(kept).toHaveLength(6);
  for (const [i, value] of golden.truncatedWeights.weights.entries()) {
    expect(kept[i]).toBeCloseTo(value, 12);
  }
  expect(metrics.importanceWeightMean).toBeCloseTo(golden.truncatedWeights.mean, 12);
  expect(metrics.effectiveSampleSize).toBeCloseTo(golden.truncatedWeights.effectiveSampleSize, 12);
  expect(metrics.importanceWeightTruncated).toBeCloseTo(1 / 6, 12);
});

test("are 0 outside the mask, even if a log-prob is missing there", () => {
  const { weights } = truncatedImportanceWeights(
    {
      lossMask: [[false, true]],
      proximalLogProbs: [[Number.NaN, -1]],
      behaviorLogProbs: [[0, -1]],
    },
    2,
  );
  expect(Array.from(weights[0] ?? [])).toEqual([0, 1]);
});

test("a log-ratio beyond ±20 is clamped, so no token gets an infinite or zero weight", () => {
  const far = (proximal: number, behavior: number): number | undefined =>
    truncatedImportanceWeights(
      { lossMask: [[true]], proximalLogProbs: [[proximal]], behaviorLogProbs: [[behavior]] },
      Infinity,
    ).weights[0]?.[0];
  expect(far(0, -1000)).toBeCloseTo(Math.exp(20), 0);
  expect(far(-1000, 0)).toBe(Math.exp(-20));
});

test("no derivative flows through them: the derivative of a loss scales with the weight", () => {
  const surrogate = (policy: number, weight: number): ReturnType<typeof clippedSurrogate> =>
    clippedSurrogate(
      {
        lossMask: [[true]],
        advantages: [[1]],
        policyLogProbs: [[policy]],
        proximalLogProbs: [[-1]],
        weights: [[weight]],
      },
      { lower: 0.2, upper: 0.2 },
    );
  // If the weight depended on the policy, the derivative would have a second term, dw/dlogπ·(−A·r).
  expect(surrogate(-1, 1.5).derivatives.logProb?.[0]?.[0]).toBe(-1.5);
  expect(surrogate(-1, 1.5).loss).toBe(-1.5);
});

test("metrics are neutral without tokens", () => {
  const { metrics } = truncatedImportanceWeights(
    { lossMask: [[false]], proximalLogProbs: [[0]], behaviorLogProbs: [[0]] },
    2,
  );
  expect(metrics).toEqual({
    importanceWeightMean: 1,
    importanceWeightTruncated: 0,
    effectiveSampleSize: 1,
  });
});

test("the part reports the share of all loss tokens whose weight was cut, also for a microbatch", () => {
  const inner = {
    slot: "loss",
    part: "none",
    needs: [],
    derivatives: ["logProb"],
    compute: () => ({ loss: 0, derivatives: {}, metrics: { clipFraction: 0.5 } }),
  } as const;
  const minibatch = {
    lossMask: [[true, true, false]],
    weights: [Float64Array.of(1, 1, 0)],
    proximalLogProbs: [[0, 0, 0]],
    behaviorLogProbs: [[-1, 0, 0]],
    tokenCount: 4,
  };
  // e > 2 for one of the two tokens here, and the minibatch has four.
  const { metrics } = truncatedImportance(inner, 2).compute(minibatch as never, {} as never);
  expect(metrics).toEqual({ clipFraction: 0.5, importanceWeightTruncated: 0.25 });
});
