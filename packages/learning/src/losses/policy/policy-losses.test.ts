/** Requirements on every policy loss, checked against a naive twin that holds detached quantities fixed. */
import { expect, test } from "vitest";
import { wrongDerivatives } from "../../derivative-check.fixture.ts";
import type { LossResult } from "../../loss.ts";
import { type AggregationOption, tokenShares } from "../aggregation.ts";
import {
  paddedMinibatch,
  type RandomMinibatch,
  randomMinibatch,
  sequenceOf,
} from "../minibatch.fixture.ts";
import { cispoLoss } from "./cispo.ts";
import { clippedSurrogate } from "./clipped-surrogate.ts";
import { covariancePenaltyLoss } from "./covariance-penalty.ts";
import { dualClippedSurrogate } from "./dual-clip.ts";
import { entropyPreservingClip } from "./entropy-preserving-clip.ts";
import { geometricMeanSurrogate } from "./geometric-mean.ts";
import { importanceSamplingLoss } from "./importance-sampling.ts";
import { probabilityGapSurrogate } from "./probability-gap.ts";
import { reinforceLoss } from "./reinforce.ts";
import { selfImitationLoss } from "./self-imitation.ts";
import { sequenceRatioSurrogate } from "./sequence-ratio.ts";
import { softGatedSurrogate } from "./soft-gate.ts";
import { twoSidedSurrogate } from "./two-sided-clip.ts";
import { variationalWeightLoss } from "./variational-weight.ts";

/** The loss tokens of one sequence. `frozen`: log-probs of the policy for detached quantities. */
type Row = {
  readonly A: readonly number[];
  readonly policy: readonly number[];
  readonly frozen: readonly number[];
  readonly proximal: readonly number[];
  readonly behavior: readonly number[];
  readonly entropy: readonly number[];
  readonly sequenceAdvantage: number;
};

type LossUnderTest = {
  readonly name: string;
  readonly run: (batch: RandomMinibatch, options: AggregationOption) => LossResult;
  /** The terms of the loss tokens of one sequence. */
  readonly terms: (row: Row) => number[];
  /** d loss / d log π of a token, per w·A, for policy = proximal = behavior. Default −1. */
  readonly unit?: (row: Row) => number;
  /** Takes weights per sequence, not per token. */
  readonly bySequence?: true;
};

const { exp, max, min, log, sign } = Math;

const clip = (r: number, low = 0.8, high = 1.28): number => max(low, min(high, r));

const mean = (xs: readonly number[]): number => xs.reduce((a, b) => a + b, 0) / xs.length;

const sum = (xs: readonly number[]): number => xs.reduce((a, b) => a + b, 0);

const each = (row: Row, term: (A: number, r: number, t: number) => number): number[] =>
  row.A.map((A, t) => term(A, exp((row.policy[t] ?? 0) - (row.proximal[t] ?? 0)), t));

const ppo = (A: number, r: number): number => max(-A * r, -A * clip(r));

const bounds = { lower: 0.2, upper: 0.28 };

const narrow = { lower: 0.05, upper: 0.1 };

const meanGap = (row: Row): number => mean(row.A.map((_, t) => row.policy[t]! - row.proximal[t]!));

const frozenRatio = (row: Row, t: number): number => exp(row.frozen[t]! - row.proximal[t]!);

const tau = (A: number): number => (A > 0 ? 1 : 1.05);

const penalized = (batch: RandomMinibatch): number[][] =>
  batch.entropies.map((row) => row.map((h) => (h > 1 ? 1 : 0)));

const LOSSES: readonly LossUnderTest[] = [
  {
    name: "clipped surrogate",
    run: (batch, options) => clippedSurrogate(batch, bounds, options),
    terms: (row) => each(row, ppo),
  },
  {
    name: "clipped surrogate, bounds as ratios",
    run: (batch, options) => clippedSurrogate(batch, { lowest: 0.8, highest: 1.28 }, options),
    terms: (row) => each(row, ppo),
  },
  {
    name: "dual clip",
    run: (batch, options) => dualClippedSurrogate(batch, bounds, 1.4, options),
    terms: (row) => each(row, (A, r) => (A < 0 ? min(ppo(A, r), -A * 1.4) : ppo(A, r))),
  },
  {
    name: "two-sided clip",
    run: (batch, options) => twoSidedSurrogate(batch, bounds, 1.4, options),
    terms: (row) => each(row, (A, r) => max(-A * min(r, 1.4), -A * clip(r))),
  },
  {
    name: "importance sampling",
    run: (batch, options) => importanceSamplingLoss(batch, options),
    terms: (row) => row.A.map((A, t) => -A * exp(row.policy[t]! - row.behavior[t]!)),
  },
  {
    name: "reinforce",
    run: (batch, options) => reinforceLoss(batch, options),
    terms: (row) => row.A.map((A, t) => -A * row.policy[t]!),
  },
  {
    name: "cispo",
    run: (batch, options) => cispoLoss(batch, { lowest: 0, highest: 1.2 }, options),
    terms: (row) => row.A.map((A, t) => -min(frozenRatio(row, t), 1.2) * A * row.policy[t]!),
  },
  {
    name: "soft gate",
    run: (batch, options) => softGatedSurrogate(batch, undefined, options),
    terms: (row) => each(row, (A, r) => (-A * 4) / tau(A) / (1 + exp(-tau(A) * (r - 1)))),
  },
  {
    name: "probability gap, away",
    run: (batch, options) =>
      probabilityGapSurrogate(batch, { rule: "away", threshold: 0.1, penalty: 0.01 }, options),
    terms: (row) =>
      row.A.map((A, t) => {
        const moved = exp(row.policy[t]!) - exp(row.behavior[t]!);
        const gap = row.policy[t]! - row.behavior[t]!;
        const isOut = (A > 0 && moved > 0.1) || (A < 0 && moved < -0.1);
        return (isOut ? 0 : -A * exp(gap)) + 0.01 * gap ** 2;
      }),
  },
  {
    name: "probability gap, either",
    run: (batch, options) =>
      probabilityGapSurrogate(batch, { rule: "either", threshold: 0.1, penalty: 0.01 }, options),
    terms: (row) =>
      row.A.map((A, t) => {
        const moved = exp(row.policy[t]!) - exp(row.behavior[t]!);
        const gap = row.policy[t]! - row.behavior[t]!;
        return (Math.abs(moved) > 0.1 ? 0 : -A * exp(gap)) + 0.01 * gap ** 2;
      }),
  },
  {
    name: "entropy-preserving clip",
    run: (batch, options) =>
      entropyPreservingClip(batch, bounds, { entropyThreshold: 1, sides: "upper" }, options),
    terms: (row) =>
      each(row, (A, r, t) => {
        const isKept = ppo(A, frozenRatio(row, t)) > -A * frozenRatio(row, t) && A > 0;
        return isKept && row.entropy[t]! >= 1
          ? -A * (clip(frozenRatio(row, t)) / frozenRatio(row, t)) * r
          : ppo(A, r);
      }),
  },
  {
    name: "entropy-preserving clip, both sides",
    run: (batch, options) =>
      entropyPreservingClip(batch, bounds, { entropyThreshold: -Infinity, sides: "both" }, options),
    terms: (row) =>
      each(row, (A, r, t) => {
        const before = frozenRatio(row, t);
        return ppo(A, before) > -A * before ? -A * (clip(before) / before) * r : ppo(A, r);
      }),
  },
  {
    name: "covariance penalty",
    run: (batch, options) =>
      covariancePenaltyLoss({ ...batch, penalized: penalized(batch) }, 0.3, options),
    terms: (row) =>
      each(row, (A, r, t) => -A * r + (row.entropy[t]! > 1 ? 0.3 * 0.5 * log(r) ** 2 : 0)),
  },
  {
    name: "self-imitation",
    run: (batch, options) => selfImitationLoss(batch, bounds, options),
    terms: (row) =>
      row.A.map((A, t) => (A > 0 ? ppo(A, exp(row.policy[t]! - row.behavior[t]!)) : 0)),
  },
  {
    name: "sequence ratio",
    run: (batch, options) => sequenceRatioSurrogate(batch, narrow, options),
    terms: (row) =>
      row.A.map((A) => {
        const s = exp(meanGap(row));
        return max(-A * s, -A * clip(s, 0.95, 1.1));
      }),
  },
  {
    name: "sequence ratio, token form",
    run: (batch, options) => sequenceRatioSurrogate(batch, narrow, { ...options, form: "token" }),
    terms: (row) =>
      row.A.map((A, t) => {
        const frozenMean = mean(row.frozen.map((lp, i) => lp - row.proximal[i]!));
        const s = exp(frozenMean) * exp(row.policy[t]! - row.frozen[t]!);
        return max(-A * s, -A * clip(s, 0.95, 1.1));
      }),
  },
  {
    name: "sequence ratio times length",
    run: (batch, options) =>
      sequenceRatioSurrogate(batch, narrow, { ...options, timesLength: true }),
    terms: (row) =>
      row.A.map((A) => {
        const s = exp(meanGap(row));
        return row.A.length * max(-A * s, -A * clip(s, 0.95, 1.1));
      }),
  },
  {
    name: "geometric mean",
    run: (batch, options) => geometricMeanSurrogate(batch, 0.3, options),
    terms: (row) => {
      const A = row.sequenceAdvantage;
      const cut = row.policy.map((lp, t) => {
        const d = lp - row.proximal[t]!;
        return (A > 0 ? 1 : -1) * min((A > 0 ? 1 : -1) * d, 0.3);
      });
      return row.A.map(() => -A * exp(mean(cut)));
    },
    bySequence: true,
  },
  {
    name: "variational weight",
    run: (batch, options) => variationalWeightLoss(batch, undefined, options),
    terms: (row) =>
      row.A.map((A, t) => {
        const logW = sum(row.frozen.map((lp, i) => lp - row.behavior[i]!));
        const [k, rate] = A >= 0 ? [2, 3] : [3, 2];
        return -exp(rate + k * logW - rate * exp(logW)) * A * row.policy[t]!;
      }),
  },
];

/** Σ share · weight · term, computed by the twin. */
function twinLoss(
  { terms, bySequence }: LossUnderTest,
  batch: RandomMinibatch,
  shares: readonly ArrayLike<number>[],
  policyLogProbs: readonly number[][] = batch.policyLogProbs,
): number {
  return sum(
    batch.lossMask.map((mask, b) => {
      const kept = <T>(row: readonly T[] | undefined): T[] => (row ?? []).filter((_, t) => mask[t]);
      const values = terms({
        A: kept(batch.advantages[b]),
        policy: kept(policyLogProbs[b]),
        frozen: kept(batch.policyLogProbs[b]),
        proximal: kept(batch.proximalLogProbs[b]),
        behavior: kept(batch.behaviorLogProbs[b]),
        entropy: kept(batch.entropies[b]),
        sequenceAdvantage: batch.sequenceAdvantages[b] ?? Number.NaN,
      });
      const tokenWeights = kept(batch.weights[b]);
      const share = kept(Array.from(shares[b] ?? []));
      return sum(
        values.map(
          (value, i) =>
            value * share[i]! * (bySequence ? batch.sequenceWeights[b]! : tokenWeights[i]!),
        ),
      );
    }),
  );
}

const SEEDS = Array.from({ length: 25 }, (_, i) => i + 1);

const AGGREGATIONS = [
  { kind: "token-mean" },
  { kind: "seq-mean-token-sum" },
  { kind: "seq-mean-token-mean" },
  { kind: "seq-mean-token-sum-norm", maxLength: 9 },
  { kind: "prompt-mean" },
] as const;

test.each(LOSSES)("$name: value and derivatives equal those of its naive twin", (loss) => {
  let nonzero = 0;
  for (const seed of SEEDS) {
    const batch = randomMinibatch(seed);
    const aggregation = AGGREGATIONS[seed % AGGREGATIONS.length]!;
    const shares = tokenShares(aggregation, batch);
    const { loss: value, derivatives } = loss.run(batch, { shares });
    expect(value).toBeCloseTo(twinLoss(loss, batch, shares), 12);
    const stated = derivatives.logProb ?? [];
    expect(
      wrongDerivatives(batch.policyLogProbs, stated, (rows) =>
        twinLoss(loss, batch, shares, rows as number[][]),
      ),
    ).toEqual([]);
    nonzero += stated.flatMap((row) => [...row]).filter((slope) => slope !== 0).length;
  }
  expect(nonzero).toBeGreaterThan(20);
});

test("control: the derivative check fails if a detached quantity is differentiated", () => {
  const batch = randomMinibatch(1);
  const { derivatives } = cispoLoss(batch, { lowest: 0, highest: 9 });
  const wrong = wrongDerivatives(batch.policyLogProbs, derivatives.logProb ?? [], (rows) => {
    return cispoLoss({ ...batch, policyLogProbs: rows }, { lowest: 0, highest: 9 }).loss;
  });
  expect(wrong.length).toBeGreaterThan(3);
});

test.each(LOSSES)(
  "$name: microbatches add up to the minibatch and padding adds nothing",
  (loss) => {
    for (const aggregation of AGGREGATIONS) {
      const batch = randomMinibatch(7);
      const shares = tokenShares(aggregation, batch);
      const tokenCount = batch.lossMask.flat().filter(Boolean).length;
      const whole = loss.run(batch, { shares });
      const padded = paddedMinibatch(batch);
      const paddedShares = tokenShares(aggregation, padded);
      expect(loss.run(padded, { shares: paddedShares }).loss).toBeCloseTo(whole.loss, 13);
      let total = 0;
      const metrics: { [name: string]: number } = {};
      for (const b of [2, 0, 3, 1]) {
        const part = loss.run(sequenceOf(batch, b), { shares: [shares[b]!], tokenCount });
        total += part.loss;
        for (const [name, value] of Object.entries(part.metrics)) {
          metrics[name] = (metrics[name] ?? 0) + value;
        }
        const expected = whole.derivatives.logProb?.[b] ?? [];
        expect([...(part.derivatives.logProb?.[0] ?? [])]).toEqual([...expected]);
      }
      expect(total).toBeCloseTo(whole.loss, 13);
      for (const [name, value] of Object.entries(whole.metrics)) {
        expect(metrics[name]).toBeCloseTo(value, 12);
      }
    }
  },
);

test.each(LOSSES)("$name: on-policy, nothing is clipped and the loss is REINFORCE", (loss) => {
  const given = randomMinibatch(11);
  const { lossMask, policyLogProbs, sequenceAdvantages } = given;
  const own = {
    ...given,
    // Losses of different form agree if a sequence has one advantage.
    advantages: given.advantages.map((row, b) => row.map(() => sequenceAdvantages[b]!)),
    weights: given.weights.map((row) => row.map(() => 1)),
    sequenceWeights: [1, 1, 1, 1],
    proximalLogProbs: policyLogProbs,
    behaviorLogProbs: policyLogProbs,
  };
  const shares = tokenShares({ kind: "token-mean" }, own);
  const { derivatives, metrics } = loss.run(own, { shares });
  expect(metrics["clipFraction"] ?? 0).toBe(0);
  expect(metrics["importanceRatioMean"] ?? 1).toBeCloseTo(1, 14);
  const length = (b: number): number => lossMask[b]!.filter(Boolean).length;
  for (const [b, mask] of lossMask.entries()) {
    const A = sequenceAdvantages[b]!;
    const factor =
      (loss.name === "sequence ratio times length" ? length(b) : 1) *
      (loss.name === "self-imitation" && A < 0 ? 0 : 1);
    for (const [t, kept] of mask.entries()) {
      const expected = kept ? -A * factor * shares[b]![t]! : 0;
      expect(derivatives.logProb?.[b]?.[t]).toBeCloseTo(expected, 13);
    }
  }
});

test.each(LOSSES)("$name: a fully masked minibatch and zero weights give derivatives 0", (loss) => {
  const batch = randomMinibatch(5);
  const masked = loss.run(
    { ...batch, lossMask: batch.lossMask.map((r) => r.map(() => false)) },
    {},
  );
  expect(masked.loss).toBe(0);
  expect(masked.derivatives.logProb?.flatMap((row) => [...row]).every((v) => v === 0)).toBe(true);
  const weightless = loss.run(
    { ...batch, weights: batch.weights.map((r) => r.map(() => 0)), sequenceWeights: [0, 0, 0, 0] },
    {},
  );
  expect(weightless.loss).toBeCloseTo(0, 14);
  expect(
    weightless.derivatives.logProb?.flatMap((row) => [...row]).every((v) => Math.abs(v) === 0),
  ).toBe(true);
});

test.each(LOSSES)("$name: arrays that do not form a minibatch are refused", (loss) => {
  const batch = randomMinibatch(3);
  expect(() => loss.run({ ...batch, policyLogProbs: [[0]] }, {})).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
  const broken = batch.policyLogProbs.map((row) => row.map(() => Number.NaN));
  expect(() => loss.run({ ...batch, policyLogProbs: broken }, {})).toThrow(
    expect.objectContaining({ code: "NON_FINITE_VALUE" }),
  );
  expect(() => loss.run(batch, { tokenCount: 1 })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("an extreme ratio has a finite loss and no gradient at the clamp", () => {
  const far = { lossMask: [[true]], advantages: [[-1]], policyLogProbs: [[-1]] };
  const earlier = { proximalLogProbs: [[-999]], behaviorLogProbs: [[-999]] };
  const { loss, derivatives } = importanceSamplingLoss({ ...far, ...earlier });
  expect(loss).toBeCloseTo(exp(20), 0);
  expect(derivatives.logProb?.[0]?.[0]).toBe(0);
  expect(sign(sequenceRatioSurrogate({ ...far, ...earlier }, bounds).loss)).toBe(1);
});
