/** Critics: fitting, the conservative penalty, and the actor that is constrained to its data. */
import { expect, test } from "vitest";
import { wrongDerivatives } from "../../derivative-check.fixture.ts";
import { tokenShares } from "../aggregation.ts";
import {
  paddedMinibatch,
  type RandomMinibatch,
  randomMinibatch,
  sequenceOf,
} from "../minibatch.fixture.ts";
import { behaviorConstrained, meanAbsoluteAdvantage } from "./behavior-constraint.ts";
import { conservativePenalty } from "./conservative-penalty.ts";
import { type ValueForm, valueLoss } from "./value-loss.ts";

type ValueMinibatch = RandomMinibatch & {
  readonly targets: number[][];
  readonly earlier: number[][];
};

const minibatch = (seed: number): ValueMinibatch => {
  const batch = randomMinibatch(seed);
  return {
    ...batch,
    targets: batch.advantages.map((row) => [...row]),
    earlier: batch.values.map((row, b) => row.map((v, t) => v + batch.advantages[b]![t]! * 0.3)),
  };
};

const FORMS: readonly [
  string,
  (batch: ValueMinibatch) => ValueForm,
  (v: number, r: number, o: number) => number,
][] = [
  ["squared", () => ({ form: "squared" }), (v, r) => 0.5 * (v - r) ** 2],
  [
    "clipped",
    (batch) => ({ form: "clipped", range: 0.1, earlierValues: batch.earlier }),
    (v, r, o) => {
      const bounded = Math.max(o - 0.1, Math.min(o + 0.1, v));
      return 0.5 * Math.max((v - r) ** 2, (bounded - r) ** 2);
    },
  ],
  ["raise-only", () => ({ form: "raise-only" }), (v, r) => 0.5 * Math.max(r - v, 0) ** 2],
  [
    "expectile",
    () => ({ form: "expectile", expectile: 0.7 }),
    (v, r) => 0.5 * Math.abs(0.7 - (v > r ? 1 : 0)) * (v - r) ** 2,
  ],
];

test.each(FORMS)("%s: value and derivatives equal those of its naive twin", (_, formOf, term) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const batch = minibatch(seed);
    const shares = tokenShares({ kind: "seq-mean-token-mean" }, batch);
    const twin = (values: readonly (readonly number[])[]): number =>
      batch.lossMask
        .flatMap((row, b) =>
          row.flatMap((kept, t) =>
            kept
              ? [
                  shares[b]![t]! *
                    term(values[b]![t]!, batch.targets[b]![t]!, batch.earlier[b]![t]!),
                ]
              : [],
          ),
        )
        .reduce((a, b) => a + b, 0);
    const { loss, derivatives } = valueLoss(batch, formOf(batch), { shares });
    expect(loss).toBeCloseTo(twin(batch.values), 12);
    expect(wrongDerivatives(batch.values, derivatives.values ?? [], twin)).toEqual([]);
  }
});

test.each(FORMS)("%s: microbatches add up, padding adds nothing, no tokens give 0", (_, formOf) => {
  const batch = minibatch(6);
  const tokenCount = batch.lossMask.flat().filter(Boolean).length;
  const whole = valueLoss(batch, formOf(batch));
  const parts = [0, 1, 2, 3].map((b) => {
    const part = sequenceOf(batch, b);
    return valueLoss(part, formOf(part), { tokenCount });
  });
  expect(parts.reduce((sum, part) => sum + part.loss, 0)).toBeCloseTo(whole.loss, 12);
  const padded = paddedMinibatch(batch);
  expect(valueLoss(padded, formOf(padded)).loss).toBeCloseTo(whole.loss, 12);
  const none = { ...batch, lossMask: batch.lossMask.map((row) => row.map(() => false)) };
  expect(valueLoss(none, formOf(none)).loss).toBe(0);
});

test("the conservative penalty: derivatives match, equal values cost log N, far lower ones 0", () => {
  const at = (row: number) => ({ row, token: 0 });
  for (const referenceValue of [undefined, 0]) {
    const states = [
      { taken: at(0), alternatives: [at(1), at(2)], referenceValue },
      { taken: at(3), alternatives: [at(1)], referenceValue },
    ];
    for (let seed = 1; seed <= 10; seed += 1) {
      const batch = randomMinibatch(seed);
      expect(
        wrongDerivatives(
          batch.values,
          conservativePenalty(batch, states, 0.4).derivatives.values ?? [],
          (values) => conservativePenalty({ ...batch, values }, states, 0.4).loss,
        ),
      ).toEqual([]);
    }
  }
  const lossMask = [[true], [true]];
  const states = [{ taken: at(0), alternatives: [at(1)] }];
  const loss = (other: number): number =>
    conservativePenalty({ lossMask, values: [[1], [other]] }, states, 1).loss;
  expect(loss(1)).toBeCloseTo(Math.LN2, 12);
  expect(loss(-40)).toBeCloseTo(0, 12);
  // An alternative below the reference gets no gradient; one above it is pushed down.
  const calibrated = (other: number): number | undefined =>
    conservativePenalty(
      { lossMask, values: [[1], [other]] },
      [{ ...states[0]!, referenceValue: 0.5 }],
      1,
    ).derivatives.values?.[1]?.[0];
  expect(calibrated(0.4)).toBe(0);
  expect(calibrated(0.6)).toBeGreaterThan(0);
});

test("the constrained actor: derivatives match, scale-free in its advantages, imitation at advantage 0", () => {
  const batch = { ...randomMinibatch(4), constraints: randomMinibatch(4).weights };
  const { derivatives } = behaviorConstrained(batch, 2.5);
  expect(
    wrongDerivatives(
      batch.policyLogProbs,
      derivatives.logProb ?? [],
      (rows) => behaviorConstrained({ ...batch, policyLogProbs: rows }, 2.5).loss,
    ),
  ).toEqual([]);
  const larger = { ...batch, advantages: batch.advantages.map((row) => row.map((v) => v * 100)) };
  expect(behaviorConstrained(larger, 2.5).loss).toBeCloseTo(
    behaviorConstrained(batch, 2.5).loss,
    10,
  );
  const flat = {
    ...batch,
    constraints: undefined,
    advantages: batch.advantages.map((row) => row.map(() => 0)),
  };
  const tokens = batch.lossMask.flat().filter(Boolean).length;
  const [b, t] = [0, batch.lossMask[0]!.indexOf(true)];
  expect(behaviorConstrained(flat, 2.5).derivatives.logProb?.[b]?.[t]).toBeCloseTo(-1 / tokens, 12);
  const parts = [0, 1, 2, 3].map(
    (row) =>
      behaviorConstrained(sequenceOf(batch, row), 2.5, {
        tokenCount: tokens,
        meanAbsolute: meanAbsoluteAdvantage(batch),
      }).loss,
  );
  expect(parts.reduce((a, c) => a + c, 0)).toBeCloseTo(behaviorConstrained(batch, 2.5).loss, 12);
});
