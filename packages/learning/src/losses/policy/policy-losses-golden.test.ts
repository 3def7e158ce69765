/** Values of the policy losses on one small batch, compared with `golden/losses.py`. */
import { expect, test } from "vitest";
import golden from "../../golden/losses.json" with { type: "json" };
import type { LossResult } from "../../loss.ts";
import { type Aggregation, type AggregationOption, tokenShares } from "../aggregation.ts";
import { cispoLoss } from "./cispo.ts";
import { clippedSurrogate } from "./clipped-surrogate.ts";
import { dualClippedSurrogate } from "./dual-clip.ts";
import { geometricMeanSurrogate } from "./geometric-mean.ts";
import { importanceSamplingLoss } from "./importance-sampling.ts";
import { probabilityGapSurrogate } from "./probability-gap.ts";
import { reinforceLoss } from "./reinforce.ts";
import { sequenceRatioSurrogate } from "./sequence-ratio.ts";
import { softGatedSurrogate } from "./soft-gate.ts";
import { twoSidedSurrogate } from "./two-sided-clip.ts";
import { variationalWeightLoss } from "./variational-weight.ts";

const { policyLogProbs, proximalLogProbs, behaviorLogProbs, maxLength } = golden.inputs;

const lossMask = golden.inputs.lossMask.map((row) => row.map((m) => m === 1));

const batch = {
  lossMask,
  advantages: lossMask.map((row, b) => row.map(() => golden.inputs.advantages[b] ?? 0)),
  sequenceAdvantages: golden.inputs.advantages,
  policyLogProbs,
  proximalLogProbs,
  behaviorLogProbs,
};

const by = (aggregation: Aggregation): AggregationOption => ({
  shares: tokenShares(aggregation, { lossMask }),
});

const bySequence = by({ kind: "seq-mean-token-mean" });

const AGGREGATIONS = {
  "token-mean": { kind: "token-mean" },
  "seq-mean-token-sum": { kind: "seq-mean-token-sum" },
  "seq-mean-token-mean": { kind: "seq-mean-token-mean" },
  "seq-mean-token-sum-norm": { kind: "seq-mean-token-sum-norm", maxLength },
} as const;

test.each<[string, (options: AggregationOption) => LossResult, (typeof golden)["clipped"]]>([
  [
    "clip 0.2",
    (options) => clippedSurrogate(batch, { lower: 0.2, upper: 0.2 }, options),
    golden.clipped,
  ],
  [
    "clip higher",
    (options) => clippedSurrogate(batch, { lower: 0.2, upper: 0.28 }, options),
    golden.clipHigher,
  ],
  [
    "dual clip at 3",
    (options) => dualClippedSurrogate(batch, { lower: 0.2, upper: 0.2 }, 3, options),
    golden.dualClip3,
  ],
  [
    "dual clip at 1.5",
    (options) => dualClippedSurrogate(batch, { lower: 0.2, upper: 0.2 }, 1.5, options),
    golden["dualClip1.5"],
  ],
  [
    "two-sided at 1.5",
    (options) => twoSidedSurrogate(batch, { lower: 0.2, upper: 0.2 }, 1.5, options),
    golden["twoSided1.5"],
  ],
])("%s under every aggregation", (_, run, expected) => {
  for (const [kind, value] of Object.entries(expected.loss)) {
    const result = run(by(AGGREGATIONS[kind as keyof typeof AGGREGATIONS]));
    expect(result.loss).toBeCloseTo(value, 13);
    expect(result.metrics["clipFraction"]).toBeCloseTo(expected.clipFraction, 13);
  }
});

test.each<[string, LossResult, number]>([
  ["importance sampling", importanceSamplingLoss(batch), golden.importanceSampling],
  ["reinforce", reinforceLoss(batch), golden.reinforce],
  ["cispo, distances", cispoLoss(batch, { lower: 0.2, upper: 0.28 }), golden.cispo],
  ["cispo, ratios", cispoLoss(batch, { lowest: 0, highest: 1.5 }), golden["cispoAbsolute1.5"]],
  ["soft gate", softGatedSurrogate(batch, undefined, bySequence), golden.softGate],
  [
    "sequence ratio",
    sequenceRatioSurrogate(batch, { lower: 3e-4, upper: 4e-4 }, bySequence),
    golden.sequenceRatio.loss,
  ],
  [
    "sequence ratio, token form",
    sequenceRatioSurrogate(batch, { lower: 3e-4, upper: 4e-4 }, { ...bySequence, form: "token" }),
    golden.sequenceRatio.loss,
  ],
  [
    "sequence ratio times length",
    sequenceRatioSurrogate(
      batch,
      { lower: 2e-3, upper: 2.5e-3 },
      { ...bySequence, timesLength: true },
    ),
    golden.sequenceRatioTimesLength,
  ],
  ["geometric mean", geometricMeanSurrogate(batch, 0.4, bySequence), golden["geometricMean0.4"]],
  ["variational weight", variationalWeightLoss(batch), golden.variationalWeight],
  [
    "probability gap, away",
    probabilityGapSurrogate(batch, { rule: "away", threshold: 0.2, penalty: 1e-3 }),
    golden["probabilityGapAway0.2"].loss,
  ],
  [
    "probability gap, either",
    probabilityGapSurrogate(batch, { rule: "either", threshold: 0.1, penalty: 1e-3 }),
    golden["probabilityGapEither0.1"].loss,
  ],
])("%s agrees with the reference value", (_, result, expected) => {
  expect(result.loss).toBeCloseTo(expected, 12);
});

test("a dual clip caps the loss of a bad token at ratio 5: 1.5 instead of 2.5 at A = −0.5", () => {
  const one = {
    lossMask: [[true]],
    advantages: [[-0.5]],
    policyLogProbs: [[Math.log(5) - 4]],
    proximalLogProbs: [[-4]],
  };
  const bounds = { lower: 0.2, upper: 0.2 };
  expect(clippedSurrogate(one, bounds).loss).toBeCloseTo(2.5, 12);
  const capped = dualClippedSurrogate(one, bounds, 3);
  expect(capped.loss).toBeCloseTo(1.5, 12);
  expect(capped.derivatives.logProb?.[0]?.[0]).toBe(0);
  expect(capped.metrics["capFraction"]).toBe(1);
});

test("asymmetric bounds: 1.25 passes with an upper bound of 0.28, 0.75 is clipped with a lower bound of 0.2", () => {
  const at = (ratio: number, advantage: number): LossResult =>
    clippedSurrogate(
      {
        lossMask: [[true]],
        advantages: [[advantage]],
        policyLogProbs: [[Math.log(ratio) - 2]],
        proximalLogProbs: [[-2]],
      },
      { lower: 0.2, upper: 0.28 },
    );
  expect(at(1.25, 1).derivatives.logProb?.[0]?.[0]).toBeCloseTo(-1.25, 12);
  expect(at(0.75, -1).derivatives.logProb?.[0]?.[0]).toBe(0);
  expect(at(0.75, -1).loss).toBeCloseTo(0.8, 12);
});
