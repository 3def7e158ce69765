/**
 * Every policy loss trains a table of logits, also on stale data, and every combination with a correction and
 * an aggregation moves it by finite amounts. A control with shuffled advantages must not learn.
 */
import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { shuffled } from "../../advantages/shuffle.ts";
import {
  icePopWeights,
  sequenceBandMask,
  tokenBandMask,
  vetoOutliers,
} from "../../corrections/band-masks.ts";
import type { CorrectionBatch } from "../../corrections/correction.ts";
import { maskDivergentTokens } from "../../corrections/divergence-masks.ts";
import {
  truncatedImportanceWeights,
  truncatedSequenceWeights,
} from "../../corrections/importance-weights.ts";
import { secondMomentMask } from "../../corrections/second-moment-mask.ts";
import type { LossResult } from "../../loss.ts";
import type { TokenRows } from "../../token-rows.ts";
import { type Aggregation, type AggregationOption, tokenShares } from "../aggregation.ts";
import { cispoLoss } from "./cispo.ts";
import { clippedSurrogate } from "./clipped-surrogate.ts";
import { covariancePenaltyLoss } from "./covariance-penalty.ts";
import { dualClippedSurrogate } from "./dual-clip.ts";
import { entropyPreservingClip } from "./entropy-preserving-clip.ts";
import { geometricMeanSurrogate } from "./geometric-mean.ts";
import { importanceSamplingLoss } from "./importance-sampling.ts";
import type { BehaviorBatch, ProximalBatch } from "./policy-loss.ts";
import { probabilityGapSurrogate } from "./probability-gap.ts";
import { reinforceLoss } from "./reinforce.ts";
import { selfImitationLoss } from "./self-imitation.ts";
import { sequenceRatioSurrogate } from "./sequence-ratio.ts";
import { softGatedSurrogate } from "./soft-gate.ts";
import { twoSidedSurrogate } from "./two-sided-clip.ts";
import { variationalWeightLoss } from "./variational-weight.ts";

const TARGET = [2, 0, 3, 1];

const VOCABULARY = 4;

const GROUP = 16;

type Batch = ProximalBatch &
  BehaviorBatch & {
    readonly sequenceAdvantages: readonly number[];
    readonly entropies: TokenRows;
    readonly penalized: TokenRows;
  };

type PolicyLoss = (batch: Batch, options: AggregationOption) => LossResult;

const bounds = { lower: 0.2, upper: 0.28 };

const LOSSES: { readonly [name: string]: PolicyLoss } = {
  clipped: (batch, options) => clippedSurrogate(batch, bounds, options),
  dualClip: (batch, options) => dualClippedSurrogate(batch, bounds, 3, options),
  twoSided: (batch, options) => twoSidedSurrogate(batch, bounds, 4, options),
  importanceSampling: importanceSamplingLoss,
  reinforce: reinforceLoss,
  cispo: (batch, options) => cispoLoss(batch, { lowest: 0, highest: 5 }, options),
  softGate: (batch, options) => softGatedSurrogate(batch, undefined, options),
  probabilityGap: (batch, options) =>
    probabilityGapSurrogate(batch, { rule: "away", threshold: 0.2, penalty: 1e-3 }, options),
  ipoMask: (batch, options) =>
    probabilityGapSurrogate(batch, { rule: "either", threshold: 0.1, penalty: 1e-3 }, options),
  entropyPreserving: (batch, options) =>
    entropyPreservingClip(batch, bounds, { entropyThreshold: 1, sides: "upper" }, options),
  covariancePenalty: (batch, options) => covariancePenaltyLoss(batch, 0.1, options),
  selfImitation: (batch, options) => selfImitationLoss(batch, bounds, options),
  sequenceRatio: (batch, options) => sequenceRatioSurrogate(batch, bounds, options),
  sequenceToken: (batch, options) =>
    sequenceRatioSurrogate(batch, bounds, { ...options, form: "token" }),
  geometricMean: (batch, options) => geometricMeanSurrogate(batch, 0.4, options),
  variationalWeight: (batch, options) => variationalWeightLoss(batch, undefined, options),
};

const softmax = (logits: readonly number[]): number[] => {
  const total = logits.reduce((sum, z) => sum + Math.exp(z), 0);
  return logits.map((z) => Math.exp(z) / total);
};

type Table = readonly (readonly number[])[];

const sampled = (table: Table, random: () => number): number[] =>
  table.map((logits) => {
    let place = random();
    const token = softmax(logits).findIndex((p) => {
      place -= p;
      return place < 0;
    });
    return token === -1 ? VOCABULARY - 1 : token;
  });

const logProbs = (table: Table, sequences: readonly (readonly number[])[]): number[][] =>
  sequences.map((tokens) => tokens.map((token, t) => Math.log(softmax(table[t]!)[token]!)));

/** Expected share of correct tokens. */
const success = (table: Table): number =>
  table.reduce((sum, logits, t) => sum + softmax(logits)[TARGET[t]!]!, 0) / TARGET.length;

type RunOptions = {
  readonly seed: number;
  readonly steps: number;
  readonly staleness: number;
  readonly aggregation: Aggregation;
  readonly correct?: ((batch: CorrectionBatch) => { readonly weights: TokenRows }) | undefined;
  readonly isControl?: boolean;
};

/** Trains a uniform table: two optimizer steps on each batch of groups of sequences. */
function trained(loss: PolicyLoss, options: RunOptions): Table {
  const { seed, steps, staleness, aggregation, correct, isControl } = options;
  const random = seededRandom(seed);
  let table: Table = TARGET.map(() => Array.from({ length: VOCABULARY }, () => 0));
  const published: Table[] = [table];
  for (let step = 0; step < steps; step += 1) {
    const sampler = published[Math.max(0, published.length - 1 - staleness)]!;
    const sequences = Array.from({ length: GROUP }, () => sampled(sampler, random));
    const rewards = sequences.map(
      (tokens) => tokens.filter((token, t) => token === TARGET[t]).length / TARGET.length,
    );
    const mean = rewards.reduce((a, b) => a + b, 0) / GROUP;
    const own = rewards.map((reward) => reward - mean);
    const advantages = isControl === true ? shuffled(own, random) : own;
    const lossMask = sequences.map((tokens) => tokens.map(() => true));
    const given = {
      lossMask,
      proximalLogProbs: logProbs(table, sequences),
      behaviorLogProbs: logProbs(sampler, sequences),
    };
    const weights = correct?.(given).weights;
    const shares = tokenShares(aggregation, { lossMask });
    for (let epoch = 0; epoch < 2; epoch += 1) {
      const current = table;
      const { derivatives } = loss(
        {
          ...given,
          advantages: lossMask.map((row, b) => row.map(() => advantages[b]!)),
          sequenceAdvantages: advantages,
          policyLogProbs: logProbs(current, sequences),
          weights,
          entropies: lossMask.map((row) => row.map((_, t) => entropyOf(current[t]!))),
          penalized: lossMask.map((row) => row.map(() => 1)),
        },
        { shares },
      );
      table = current.map((logits, t) => {
        const p = softmax(logits);
        return logits.map((logit, j) => {
          const slope = sequences.reduce(
            (sum, tokens, b) =>
              sum + derivatives.logProb![b]![t]! * ((tokens[t] === j ? 1 : 0) - p[j]!),
            0,
          );
          return logit - 20 * slope;
        });
      });
    }
    published.push(table);
  }
  return table;
}

const entropyOf = (logits: readonly number[]): number =>
  -softmax(logits).reduce((sum, p) => sum + p * Math.log(p), 0);

const onPolicy = { steps: 30, staleness: 0, aggregation: { kind: "token-mean" } } as const;

test.each(Object.entries(LOSSES))("%s learns, but not from shuffled advantages", (_, loss) => {
  for (const seed of [1, 2, 3]) {
    expect(success(trained(loss, { ...onPolicy, seed }))).toBeGreaterThan(0.75);
  }
  const controls = [1, 2, 3].map((seed) =>
    success(trained(loss, { ...onPolicy, seed, isControl: true })),
  );
  expect(controls.reduce((a, b) => a + b, 0) / 3).toBeLessThan(0.5);
});

const CORRECTIONS: {
  readonly [name: string]: (batch: CorrectionBatch) => { readonly weights: TokenRows };
} = {
  tokenWeights: (batch) => truncatedImportanceWeights(batch, 2),
  sequenceWeights: (batch) => truncatedSequenceWeights(batch, 2),
  tokenBand: (batch) => tokenBandMask(batch, { lowest: 0.5, highest: 2 }),
  icePop: (batch) => icePopWeights(batch, { lowest: 0.5, highest: 5 }),
  geometricBand: (batch) => sequenceBandMask(batch, { lowest: 0.5, highest: 2 }, "geometric-mean"),
  outlierVeto: (batch) => vetoOutliers(batch),
  k3Mask: (batch) => maskDivergentTokens(batch, "k3", 0.5),
  secondMoment: (batch) => secondMomentMask(batch, 0.04),
};

test.each(Object.entries(CORRECTIONS))(
  "%s: learning works with samplers 1, 4 and 8 steps old",
  (_, correct) => {
    for (const staleness of [1, 4, 8]) {
      const reached = [1, 2, 3].map((seed) =>
        success(trained(LOSSES["clipped"]!, { ...onPolicy, steps: 40, staleness, correct, seed })),
      );
      expect(reached.reduce((a, b) => a + b, 0) / 3).toBeGreaterThan(0.85);
    }
  },
);

test("every loss with every correction and aggregation moves the table by finite amounts", () => {
  const AGGREGATIONS: readonly Aggregation[] = [
    { kind: "token-mean" },
    { kind: "seq-mean-token-sum" },
    { kind: "seq-mean-token-mean" },
    { kind: "seq-mean-token-sum-norm", maxLength: 8 },
  ];
  for (const [name, loss] of Object.entries(LOSSES)) {
    for (const [correction, correct] of Object.entries(CORRECTIONS)) {
      for (const aggregation of AGGREGATIONS) {
        const table = trained(loss, {
          seed: 5,
          steps: 2,
          staleness: 1,
          aggregation,
          correct,
        }).flat();
        const isMoved = table.every(Number.isFinite) && table.some((logit) => logit !== 0);
        expect(`${name}, ${correction}, ${aggregation.kind}: ${isMoved}`).toMatch(/true$/);
      }
    }
  }
});
