import { expect, test } from "vitest";
import { clippedSurrogate } from "./clipped-surrogate.ts";
import { entropyPreservingClip } from "./entropy-preserving-clip.ts";

const bounds = { lower: 0.2, upper: 0.28 };

/** Ratio e^0.5 = 1.65 with A = 2, then ratio e^-0.5 = 0.61 with A = −2: both clipped. */
const batch = {
  lossMask: [[true, true]],
  advantages: [[2, -2]],
  policyLogProbs: [[-1, -2]],
  proximalLogProbs: [[-1.5, -1.5]],
  entropies: [[1.5, 1.5]],
};

test("an uncertain clipped token keeps its gradient; the value of the loss is unchanged", () => {
  const plain = clippedSurrogate(batch, bounds);
  const kept = entropyPreservingClip(batch, bounds, { entropyThreshold: 1, sides: "upper" });
  expect(kept.loss).toBe(plain.loss);
  expect([...(plain.derivatives.logProb?.[0] ?? [])]).toEqual([0, 0]);
  expect(kept.derivatives.logProb?.[0]?.[0]).toBeCloseTo((-2 * 1.28) / 2, 14);
  expect(kept.derivatives.logProb?.[0]?.[1]).toBe(0);
  expect(kept.metrics).toMatchObject({ clipFraction: 1, preservedFraction: 0.5 });
});

test("with sides `both` the lower bound keeps gradients too; a certain token keeps none", () => {
  const both = entropyPreservingClip(batch, bounds, { entropyThreshold: 1, sides: "both" });
  expect(both.derivatives.logProb?.[0]?.[1]).toBeCloseTo((2 * 0.8) / 2, 14);
  const certain = entropyPreservingClip(batch, bounds, { entropyThreshold: 2, sides: "both" });
  expect([...(certain.derivatives.logProb?.[0] ?? [])]).toEqual([0, 0]);
});

test("missing entropies are refused", () => {
  const { entropies: _, ...without } = batch;
  expect(() =>
    entropyPreservingClip(without as typeof batch, bounds, { entropyThreshold: 1, sides: "both" }),
  ).toThrow(expect.objectContaining({ code: "CAPABILITY_MISSING" }));
});
