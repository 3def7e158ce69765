import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { wrongDerivatives } from "../../derivative-check.fixture.ts";
import type { LossResult } from "../../loss.ts";
import { dpoLoss } from "./dpo.ts";
import { type PreferenceBatch, rowPairs } from "./preference-pairs.ts";
import { drawnTokenWeights, varianceReducedPreference } from "./variance-reduced-preference.ts";

const random = mulberry32(11);

const row = (length: number): number[] => Array.from({ length }, () => -0.2 - 2 * random());

const near = (values: readonly number[]): number[] =>
  values.map((value) => value + 0.1 * (random() - 0.5));

const policyLogProbs = [row(9), row(7)];

const batch: PreferenceBatch = {
  lossMask: [
    [false, true, true, true, true, true, false, true, true],
    [true, true, true, true, true, true, false],
  ],
  policyLogProbs,
  referenceLogProbs: policyLogProbs.map(near),
  pairs: rowPairs([[0, 1]]),
};

const sumOf = (rows: PreferenceBatch["policyLogProbs"], weights: readonly Float64Array[]): number =>
  rows.reduce(
    (sum, values, b) =>
      sum +
      (b === 0 ? 1 : -1) *
        Array.from(values).reduce((all, value, t) => all + value * (weights[b]?.[t] ?? 0), 0),
    0,
  );

const exact = batch.lossMask.map((mask) => Float64Array.from(mask, Number));

const spread = (values: readonly number[]): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
};

/**
 * The margin over the reference in 4,000 estimates, with one shared draw for both policies or separate draws.
 */
const margins = (draws: number, isShared: boolean): number[] =>
  Array.from({ length: 4000 }, () => {
    const first = drawnTokenWeights(batch.lossMask, { draws, random });
    const second = isShared ? first : drawnTokenWeights(batch.lossMask, { draws, random });
    return sumOf(batch.policyLogProbs, first) - sumOf(batch.referenceLogProbs, second);
  });

test("drawn tokens estimate the margin without bias; a shared draw has far less variance", () => {
  const truth = sumOf(batch.policyLogProbs, exact) - sumOf(batch.referenceLogProbs, exact);
  const shared = margins(2, true);
  const error = Math.abs(shared.reduce((sum, value) => sum + value, 0) / shared.length - truth);
  expect(error).toBeLessThan(4 * Math.sqrt(spread(shared) / shared.length));
  expect(spread(shared)).toBeLessThan(0.05 * spread(margins(2, false)));
  expect(spread(margins(8, true))).toBeLessThan(0.5 * spread(shared));
});

test("with every token drawn it equals DPO", () => {
  const one: PreferenceBatch = {
    ...batch,
    lossMask: batch.lossMask.map((mask) => mask.map((_, t) => t === 2)),
  };
  const drawn = varianceReducedPreference(one, { beta: 0.1, draws: 3, random: mulberry32(1) });
  const plain = dpoLoss(one, { beta: 0.1 });
  expect(drawn.loss).toBeCloseTo(plain.loss, 12);
  expect(drawn.derivatives.logProb?.[0]?.[2]).toBeCloseTo(
    plain.derivatives.logProb?.[0]?.[2] ?? Number.NaN,
    12,
  );
});

test("derivatives match its value under the same draw; exchanging the sides flips their signs", () => {
  const at = (policy: PreferenceBatch["policyLogProbs"]): LossResult =>
    varianceReducedPreference(
      { ...batch, policyLogProbs: policy },
      { beta: 0.5, draws: 2, random: mulberry32(4) },
    );
  const { derivatives } = at(batch.policyLogProbs);
  expect(
    wrongDerivatives(batch.policyLogProbs, derivatives.logProb ?? [], (rows) => at(rows).loss),
  ).toEqual([]);
  const swapped = varianceReducedPreference(
    { ...batch, pairs: rowPairs([[1, 0]]) },
    { beta: 0.5, draws: 2, random: mulberry32(4) },
  );
  const signs = (result: typeof swapped): number[] =>
    Array.from(result.derivatives.logProb?.[0] ?? [], Math.sign);
  expect(signs(swapped)).toEqual(
    signs(at(batch.policyLogProbs)).map((sign) => (sign === 0 ? 0 : -sign)),
  );
  expect(() =>
    varianceReducedPreference(batch, { beta: 0.5, draws: 0, random: mulberry32(4) }),
  ).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});
