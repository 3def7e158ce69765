/**
 * Preference losses train a table of logits to prefer the chosen answers, also with noisy labels; a control
 * with random labels must not. Values learn a chain's returns by temporal differences.
 */
import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { LossResult } from "../../loss.ts";
import { valueLoss } from "../value/value-loss.ts";
import { anchoredPreference } from "./anchored-preference.ts";
import { dpoLoss } from "./dpo.ts";
import { identityPreference } from "./identity-preference.ts";
import { ktoLoss } from "./kto.ts";
import { oddsRatioPreference } from "./orpo.ts";
import { type PreferenceBatch, rowPairs } from "./preference-pairs.ts";

const VOCABULARY = 4;

const LENGTH = 3;

/** An answer is better if it has more tokens of the upper half. */
const quality = (tokens: readonly number[]): number =>
  tokens.reduce((sum, token) => sum + token, 0);

const softmax = (logits: readonly number[]): number[] => {
  const total = logits.reduce((sum, z) => sum + Math.exp(z), 0);
  return logits.map((z) => Math.exp(z) / total);
};

type PairLoss = (batch: PreferenceBatch) => LossResult;

const LOSSES: { readonly [name: string]: PairLoss } = {
  dpo: (batch) => dpoLoss(batch, { beta: 0.5 }),
  conservative: (batch) =>
    dpoLoss(batch, { beta: 0.5, noise: { kind: "conservative", flipped: 0.1 } }),
  robust: (batch) => dpoLoss(batch, { beta: 0.5, noise: { kind: "robust", flipped: 0.1 } }),
  ipo: (batch) => identityPreference(batch, { beta: 0.5, measure: "sum" }),
  apoZero: (batch) => anchoredPreference(batch, { beta: 0.5 }),
  orpo: (batch) => oddsRatioPreference(batch, 1),
  kto: (batch) => {
    const answers = batch.pairs.flatMap(({ chosen, rejected }) => [
      { segments: chosen, isDesirable: true },
      { segments: rejected, isDesirable: false },
    ]);
    return ktoLoss({ ...batch, answers }, { beta: 0.5, divergence: 0 });
  },
};

/** Mean quality of the policy's answers, 0 to 1, after training with this share of flipped labels. */
function trained(loss: PairLoss, flipped: number, seed: number): number {
  const random = seededRandom(seed);
  let table = Array.from({ length: LENGTH }, () => Array.from({ length: VOCABULARY }, () => 0));
  const answer = (): number[] =>
    Array.from({ length: LENGTH }, () => Math.floor(random() * VOCABULARY));
  const reference = -Math.log(VOCABULARY);
  for (let step = 0; step < 60; step += 1) {
    const answers = Array.from({ length: 16 }, answer);
    const pairs = Array.from({ length: 8 }, (_, i): [number, number] => {
      const [a, b] = [2 * i, 2 * i + 1];
      const isRight = quality(answers[a]!) > quality(answers[b]!) !== random() < flipped;
      return isRight ? [a, b] : [b, a];
    }).filter(([a, b]) => quality(answers[a]!) !== quality(answers[b]!));
    const { derivatives } = loss({
      lossMask: answers.map((tokens) => tokens.map(() => true)),
      policyLogProbs: answers.map((tokens) =>
        tokens.map((token, t) => Math.log(softmax(table[t]!)[token]!)),
      ),
      referenceLogProbs: answers.map((tokens) => tokens.map(() => reference)),
      pairs: rowPairs(pairs),
    });
    table = table.map((logits, t) => {
      const p = softmax(logits);
      return logits.map((logit, j) => {
        const slope = answers.reduce(
          (sum, tokens, b) =>
            sum + derivatives.logProb![b]![t]! * ((tokens[t] === j ? 1 : 0) - p[j]!),
          0,
        );
        return logit - 0.5 * slope;
      });
    });
  }
  const expected = table.reduce(
    (sum, logits) => sum + softmax(logits).reduce((total, p, token) => total + p * token, 0),
    0,
  );
  return expected / (LENGTH * (VOCABULARY - 1));
}

test.each(Object.entries(LOSSES))(
  "%s learns the preference, also with a tenth of the labels flipped, and nothing from random labels",
  (_, loss) => {
    const mean = (flipped: number): number =>
      [1, 2, 3].reduce((sum, seed) => sum + trained(loss, flipped, seed) / 3, 0);
    expect(mean(0)).toBeGreaterThan(0.6);
    expect(mean(0.1)).toBeGreaterThan(0.57);
    expect(Math.abs(mean(0.5) - 0.5)).toBeLessThan(0.06);
  },
);

test("values learn a chain's discounted final reward by temporal differences", () => {
  const [states, discount] = [5, 0.9];
  let values = Array.from({ length: states }, () => 0);
  const lossMask = [values.map(() => true)];
  for (let step = 0; step < 400; step += 1) {
    const targets = values.map((_, s) => (s === states - 1 ? 1 : discount * values[s + 1]!));
    const { derivatives } = valueLoss({ lossMask, values: [values], targets: [targets] });
    values = values.map((value, s) => value - derivatives.values![0]![s]!);
  }
  for (const [s, value] of values.entries()) {
    expect(value).toBeCloseTo(discount ** (states - 1 - s), 6);
  }
});
