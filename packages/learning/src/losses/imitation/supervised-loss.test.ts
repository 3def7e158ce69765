import { expect, test } from "vitest";
import golden from "../../../../../test/golden/learning/learning.json" with { type: "json" };
import { addLosses, type LossResult, toTokenDerivatives } from "../../loss.ts";
import { tokenShares } from "../aggregation.ts";
import { entropyBonusLoss } from "../policy/entropy-bonus.ts";
import { supervisedLoss } from "./supervised-loss.ts";

const lossMask = golden.inputs.lossMask.map((row) => row.map((m) => m === 1));

const policyLogProbs = golden.inputs.policyLogProbs;

const weights = [
  [1, 0.5, 9, 0],
  [2, 1, 0.25, 9],
];

/** Central difference of a loss with respect to one entry of its rows. */
function difference(
  rows: readonly (readonly number[])[],
  lossOf: (rows: readonly (readonly number[])[]) => LossResult,
  b: number,
  t: number,
): number {
  const h = 1e-5;
  const moved = (shift: number): number =>
    lossOf(rows.map((row, i) => row.map((v, j) => (i === b && j === t ? v + shift : v)))).loss;
  return (moved(h) - moved(-h)) / (2 * h);
}

test("the supervised loss agrees with the reference value", () => {
  expect(supervisedLoss({ lossMask, policyLogProbs }).loss).toBeCloseTo(golden.crossEntropy, 12);
});

test("its derivatives match finite differences of its loss and are 0 outside the mask", () => {
  const lossOf = (rows: readonly (readonly number[])[]): LossResult =>
    supervisedLoss({ lossMask, policyLogProbs: rows, weights });
  const { derivatives } = lossOf(policyLogProbs);
  for (const [b, row] of policyLogProbs.entries()) {
    for (const t of row.keys()) {
      expect(derivatives.logProb?.[b]?.[t]).toBeCloseTo(
        difference(policyLogProbs, lossOf, b, t),
        9,
      );
      const slope = derivatives.logProb?.[b]?.[t];
      expect(lossMask[b]?.[t] === true || slope === 0).toBe(true);
    }
  }
});

test("weights do not change the denominator", () => {
  const doubled = supervisedLoss({
    lossMask,
    policyLogProbs,
    weights: lossMask.map((row) => row.map(() => 2)),
  });
  expect(doubled.loss).toBeCloseTo(2 * golden.crossEntropy, 12);
  expect(doubled.metrics["crossEntropy"]).toBeCloseTo(golden.crossEntropy, 12);
});

test("the entropy bonus raises entropy: loss −c·mean entropy, derivative −c / tokens", () => {
  const entropies = [
    [0.5, 1, 7, 2],
    [0.1, 0.2, 0.3, 7],
  ];
  const lossOf = (rows: readonly (readonly number[])[]): LossResult =>
    entropyBonusLoss({ lossMask, entropies: rows }, 0.01);
  const { loss, derivatives, metrics } = lossOf(entropies);
  expect(metrics["entropy"]).toBeCloseTo(4.1 / 6, 12);
  expect(loss).toBeCloseTo((-0.01 * 4.1) / 6, 12);
  for (const [b, row] of entropies.entries()) {
    for (const t of row.keys()) {
      expect(derivatives.entropy?.[b]?.[t]).toBeCloseTo(difference(entropies, lossOf, b, t), 9);
    }
  }
});

test("both losses follow the aggregation; their metrics stay token means", () => {
  const shares = tokenShares({ kind: "seq-mean-token-sum" }, { lossMask });
  const supervised = supervisedLoss({ lossMask, policyLogProbs }, { shares });
  expect(supervised.loss).toBeCloseTo(3 * golden.crossEntropy, 12);
  expect(supervised.metrics["crossEntropy"]).toBeCloseTo(golden.crossEntropy, 12);
  const entropies = lossMask.map((row) => row.map(() => 2));
  const bonus = entropyBonusLoss({ lossMask, entropies }, 0.1, { shares });
  expect(bonus.loss).toBeCloseTo(-0.1 * 2 * 3, 12);
  expect(bonus.metrics["entropy"]).toBeCloseTo(2, 12);
  expect(bonus.derivatives.entropy?.[0]?.[0]).toBeCloseTo(-0.1 / 2, 12);
});

test("a sum of losses sums their derivatives, in single precision for the engine", () => {
  const one = supervisedLoss({ lossMask, policyLogProbs });
  const two = supervisedLoss({ lossMask, policyLogProbs, weights });
  const bonus = entropyBonusLoss(
    { lossMask, entropies: policyLogProbs.map((r) => r.map(() => 1)) },
    1,
  );
  const total = addLosses(one, two, bonus);
  expect(total.loss).toBeCloseTo(one.loss + two.loss + bonus.loss, 12);
  const derivatives = toTokenDerivatives(total.derivatives);
  expect(derivatives.logProb?.[0]).toBeInstanceOf(Float32Array);
  expect(derivatives.logProb?.[0]?.[0]).toBeCloseTo(-2 / 6, 6);
  expect(derivatives.entropy?.[1]?.[2]).toBeCloseTo(-1 / 6, 6);
});

test("a fully masked minibatch has loss 0 and derivatives 0", () => {
  const empty = supervisedLoss({ lossMask: [[false, false]], policyLogProbs: [[Number.NaN, -1]] });
  expect(empty.loss).toBe(0);
  expect(Array.from(empty.derivatives.logProb?.[0] ?? [])).toEqual([0, 0]);
});
