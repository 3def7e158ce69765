/** Losses on pairs, on single judged answers and on comparisons. */
import { expect, test } from "vitest";
import { wrongDerivatives } from "../../derivative-check.fixture.ts";
import golden from "../../golden/losses.json" with { type: "json" };
import type { LossResult } from "../../loss.ts";
import { contrastiveLoss } from "../imitation/contrastive.ts";
import { randomMinibatch } from "../minibatch.fixture.ts";
import { anchoredPreference } from "./anchored-preference.ts";
import { dpoLoss } from "./dpo.ts";
import { identityPreference } from "./identity-preference.ts";
import { ktoLoss } from "./kto.ts";
import { oddsRatioPreference } from "./orpo.ts";
import { type PreferenceBatch, type PreferencePair, rowPairs } from "./preference-pairs.ts";
import { rankLoss } from "./rank.ts";

const { sums, beta, epsilon } = golden.preference;

/** Two answers of two tokens each; the third token of the first carries no loss. */
const answers: PreferenceBatch = {
  lossMask: [
    [true, true, false],
    [true, true],
  ],
  policyLogProbs: [
    [sums.policyChosen / 2, sums.policyChosen / 2, -9],
    [sums.policyRejected / 2, sums.policyRejected / 2],
  ],
  referenceLogProbs: [
    [sums.referenceChosen / 2, sums.referenceChosen / 2, -1],
    [sums.referenceRejected / 2, sums.referenceRejected / 2],
  ],
  pairs: rowPairs([[0, 1]]),
};

const flipped = epsilon;

test.each<[string, LossResult, number]>([
  ["dpo", dpoLoss(answers, { beta }), golden.preference.dpo],
  [
    "conservative dpo",
    dpoLoss(answers, { beta, noise: { kind: "conservative", flipped } }),
    golden.preference.conservative,
  ],
  [
    "robust dpo",
    dpoLoss(answers, { beta, noise: { kind: "robust", flipped } }),
    golden.preference.robust,
  ],
  ["ipo", identityPreference(answers, { beta, measure: "sum" }), golden.preference.ipo],
  ["apo-zero", anchoredPreference(answers, { beta }), golden.preference.apoZero],
  [
    "kto, desirable",
    ktoLoss(
      { ...answers, answers: [{ segments: [{ row: 0 }], isDesirable: true }] },
      { beta, divergence: golden.preference.ktoKl },
    ),
    golden.preference.ktoDesirable,
  ],
  [
    "kto, undesirable",
    ktoLoss(
      { ...answers, answers: [{ segments: [{ row: 1 }], isDesirable: false }] },
      { beta, divergence: golden.preference.ktoKl },
    ),
    golden.preference.ktoUndesirable,
  ],
  [
    "orpo",
    oddsRatioPreference(
      {
        lossMask: [[true], [true, true]],
        policyLogProbs: [
          [golden.preference.orpo.chosen],
          [golden.preference.orpo.rejected - 0.2, golden.preference.orpo.rejected + 0.2],
        ],
        pairs: rowPairs([[0, 1]]),
      },
      golden.preference.orpo.lambda,
    ),
    golden.preference.orpo.loss,
  ],
])("%s agrees with the reference value", (_, { loss }, expected) => {
  expect(loss).toBeCloseTo(expected, 12);
});

/** Answers, steps of one sequence, and a trajectory of two samples; one row is in two pairs. */
const PAIRS: readonly PreferencePair[] = [
  { chosen: [{ row: 0 }], rejected: [{ row: 1 }], weight: 0.7 },
  { chosen: [{ row: 2, start: 0, end: 1 }], rejected: [{ row: 3, start: 0, end: 1 }] },
  { chosen: [{ row: 1 }, { row: 2 }], rejected: [{ row: 3 }] },
];

const judged = [
  { segments: [{ row: 0 }], isDesirable: true },
  { segments: [{ row: 1 }, { row: 2 }], isDesirable: false },
  { segments: [{ row: 3 }], isDesirable: true },
];

const LOSSES: {
  readonly [name: string]: (batch: PreferenceBatch, count?: number) => LossResult;
} = {
  dpo: (batch, pairCount) => dpoLoss(batch, { beta: 0.5, pairCount }),
  "conservative dpo": (batch, pairCount) =>
    dpoLoss(batch, { beta: 0.5, noise: { kind: "conservative", flipped: 0.2 }, pairCount }),
  "robust dpo": (batch, pairCount) =>
    dpoLoss(batch, { beta: 0.5, noise: { kind: "robust", flipped: 0.2 }, pairCount }),
  "ipo by sums": (batch, pairCount) =>
    identityPreference(batch, { beta: 0.5, measure: "sum", pairCount }),
  "ipo by means": (batch, pairCount) =>
    identityPreference(batch, { beta: 0.5, measure: "mean", pairCount }),
  "apo-zero": (batch, pairCount) => anchoredPreference(batch, { beta: 0.5, pairCount }),
  orpo: (batch, pairCount) => oddsRatioPreference(batch, 0.3, { pairCount }),
};

test.each(Object.entries(LOSSES))(
  "%s: its derivatives match its value, for answers, steps and trajectories",
  (_, lossOf) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const batch = { ...randomMinibatch(seed), pairs: PAIRS };
      const stated = lossOf(batch).derivatives.logProb ?? [];
      const wrong = wrongDerivatives(
        batch.policyLogProbs,
        stated,
        (rows) => lossOf({ ...batch, policyLogProbs: rows }).loss,
      );
      expect(wrong).toEqual([]);
      for (const [b, row] of batch.lossMask.entries()) {
        for (const [t, kept] of row.entries()) expect(kept || stated[b]?.[t] === 0).toBe(true);
      }
    }
  },
);

test.each(Object.entries(LOSSES))("%s: pairs add up to the minibatch", (_, lossOf) => {
  const batch = { ...randomMinibatch(3), pairs: PAIRS };
  const whole = lossOf(batch);
  const parts = PAIRS.map((pair) => lossOf({ ...batch, pairs: [pair] }, PAIRS.length));
  expect(parts.reduce((sum, part) => sum + part.loss, 0)).toBeCloseTo(whole.loss, 12);
  for (const [name, value] of Object.entries(whole.metrics)) {
    expect(parts.reduce((sum, part) => sum + part.metrics[name]!, 0)).toBeCloseTo(value, 12);
  }
  expect(lossOf({ ...batch, pairs: [] }).loss).toBe(0);
});

test("at the reference, dpo is log 2 and its derivatives are half of beta", () => {
  const own = { ...answers, policyLogProbs: answers.referenceLogProbs };
  const { loss, derivatives, metrics } = dpoLoss(own, { beta });
  expect(loss).toBeCloseTo(Math.LN2, 12);
  expect(derivatives.logProb?.[0]?.[0]).toBeCloseTo(-beta / 2, 12);
  expect(derivatives.logProb?.[1]?.[0]).toBeCloseTo(beta / 2, 12);
  expect(metrics["preferenceMargin"]).toBe(0);
});

test("a preference between steps moves only those steps", () => {
  const batch = { ...randomMinibatch(12), pairs: [PAIRS[1]!] };
  const slopes = dpoLoss(batch, { beta: 1 }).derivatives.logProb ?? [];
  expect(slopes.flatMap((row) => [...row]).filter((value) => value !== 0).length).toBeLessThan(3);
  expect([...slopes[0]!, ...slopes[1]!].every((value) => value === 0)).toBe(true);
});

test("ipo stops at its margin, dpo does not", () => {
  const decided = {
    ...answers,
    lossMask: [[true], [true]],
    policyLogProbs: [[-1], [-7]],
    referenceLogProbs: [[-1], [-2]],
  };
  expect(
    identityPreference(decided, { beta: 0.1, measure: "sum" }).derivatives.logProb?.[0]?.[0],
  ).toBeCloseTo(0, 12);
  expect(dpoLoss(decided, { beta: 0.1 }).derivatives.logProb?.[0]?.[0]).toBeLessThan(-0.03);
});

test("half of the labels flipped and sides outside the minibatch are refused", () => {
  expect(() => dpoLoss(answers, { beta, noise: { kind: "robust", flipped: 0.5 } })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
  expect(() => dpoLoss({ ...answers, pairs: rowPairs([[0, 2]]) }, { beta })).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
});

test("kto: its derivatives match its value; λ weights both kinds; answers add up", () => {
  const options = { beta: 0.5, divergence: 0.2, desirableWeight: 2, undesirableWeight: 0.5 };
  for (let seed = 1; seed <= 10; seed += 1) {
    const batch = { ...randomMinibatch(seed), answers: judged };
    const whole = ktoLoss(batch, options);
    expect(
      wrongDerivatives(
        batch.policyLogProbs,
        whole.derivatives.logProb ?? [],
        (rows) => ktoLoss({ ...batch, policyLogProbs: rows }, options).loss,
      ),
    ).toEqual([]);
    const parts = judged.map((answer) =>
      ktoLoss({ ...batch, answers: [answer] }, { ...options, answerCount: 3 }),
    );
    expect(parts.reduce((sum, part) => sum + part.loss, 0)).toBeCloseTo(whole.loss, 12);
  }
  const twice = ktoLoss({ ...answers, answers: judged.slice(0, 1) }, { ...options, divergence: 0 });
  const once = ktoLoss(
    { ...answers, answers: judged.slice(0, 1) },
    { ...options, divergence: 0, desirableWeight: 1 },
  );
  expect(twice.loss).toBeCloseTo(2 * once.loss, 12);
});

test("kto needs no pairs: a liked answer rises, a disliked one falls", () => {
  const batch = {
    ...answers,
    answers: [judged[0]!, { segments: [{ row: 1 }], isDesirable: false }],
  };
  const slopes = ktoLoss(batch, { beta, divergence: 0 }).derivatives.logProb ?? [];
  expect(slopes[0]![0]).toBeLessThan(0);
  expect(slopes[1]![0]).toBeGreaterThan(0);
});

test("ranking: derivatives match its value, at the last loss token; a margin raises the loss", () => {
  const pairs = [
    { better: 0, worse: 1 },
    { better: 2, worse: 1, margin: 0.3 },
    { better: 3, worse: 0 },
  ];
  for (let seed = 1; seed <= 10; seed += 1) {
    const batch = randomMinibatch(seed);
    const { loss, derivatives } = rankLoss(batch, pairs);
    expect(
      wrongDerivatives(
        batch.values,
        derivatives.values ?? [],
        (rows) => rankLoss({ ...batch, values: rows }, pairs).loss,
      ),
    ).toEqual([]);
    const harder = rankLoss(
      batch,
      pairs.map((pair) => ({ ...pair, margin: 1 })),
    );
    expect(harder.loss).toBeGreaterThan(loss);
  }
  const two = { lossMask: [[true, true, false], [true]], values: [[9, 1, 9], [0]] };
  const { loss, metrics } = rankLoss(two, [{ better: 0, worse: 1 }]);
  expect(loss).toBeCloseTo(Math.log(1 + Math.exp(-1)), 12);
  expect(metrics).toEqual({ rankAccuracy: 1 });
});

test("contrast: derivatives match its value, for sums and means; equal choices cost log N", () => {
  const sets = [
    { right: [{ row: 0 }], wrong: [[{ row: 1 }], [{ row: 2 }]] },
    { right: [{ row: 3 }], wrong: [[{ row: 1 }]] },
  ];
  for (const measure of ["sum", "mean"] as const) {
    const options = { temperature: 0.7, measure };
    for (let seed = 1; seed <= 10; seed += 1) {
      const batch = randomMinibatch(seed);
      expect(
        wrongDerivatives(
          batch.policyLogProbs,
          contrastiveLoss(batch, sets, options).derivatives.logProb ?? [],
          (rows) => contrastiveLoss({ ...batch, policyLogProbs: rows }, sets, options).loss,
        ),
      ).toEqual([]);
    }
  }
  const alike = { lossMask: [[true], [true], [true]], policyLogProbs: [[-2], [-2], [-2]] };
  const { loss } = contrastiveLoss(alike, sets.slice(0, 1), { temperature: 1, measure: "sum" });
  expect(loss).toBeCloseTo(Math.log(3), 12);
});
