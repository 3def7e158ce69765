import { expect, test } from "vitest";
import { wrongDerivatives } from "../derivative-check.fixture.ts";
import golden from "../golden/losses.json" with { type: "json" };
import { tokenShares } from "../losses/aggregation.ts";
import { randomMinibatch, sequenceOf } from "../losses/minibatch.fixture.ts";
import { nextKlCoefficient } from "./adaptive-kl.ts";
import { klEstimate, sampledKl } from "./kl-estimators.ts";
import { type KlForm, klLoss } from "./kl-loss.ts";
import { klRewards } from "./kl-rewards.ts";

const { policyLogProbs, proximalLogProbs } = golden.inputs;
const lossMask = golden.inputs.lossMask.map((row) => row.map((m) => m === 1));
const toProximal = { lossMask, policyLogProbs, referenceLogProbs: proximalLogProbs };

test("k3 and ratio-weighted k3 agree with the reference", () => {
  expect(klLoss(toProximal, 1, { form: "k3" }).loss).toBeCloseTo(golden.k3ToReference, 12);
  const byRatio = klLoss(toProximal, 1, { form: "k3-by-ratio", earlierLogProbs: proximalLogProbs });
  expect(byRatio.loss).toBeCloseTo(golden.k3Unbiased, 12);
});

test.each(["k2", "k3", "k3-by-ratio"] as const)(
  "%s: its derivative is that of its value, under any aggregation",
  (name) => {
    for (let seed = 1; seed <= 15; seed += 1) {
      const batch = randomMinibatch(seed);
      const form: KlForm =
        name === "k3-by-ratio"
          ? { form: name, earlierLogProbs: batch.proximalLogProbs }
          : { form: name };
      const options = { shares: tokenShares({ kind: "seq-mean-token-mean" }, batch) };
      const { derivatives } = klLoss(batch, 0.3, form, options);
      const wrong = wrongDerivatives(
        batch.policyLogProbs,
        derivatives.logProb ?? [],
        (rows) => klLoss({ ...batch, policyLogProbs: rows }, 0.3, form, options).loss,
      );
      expect(wrong).toEqual([]);
    }
  },
);

test("k3 with the gradient of k2 has the value of one and the derivative of the other", () => {
  const batch = randomMinibatch(3);
  const mixed = klLoss(batch, 0.3, { form: "k3-with-k2-gradient" });
  expect(mixed.loss).toBe(klLoss(batch, 0.3, { form: "k3" }).loss);
  expect(mixed.derivatives).toEqual(klLoss(batch, 0.3, { form: "k2" }).derivatives);
});

/** A policy over three tokens by logits, its exact KL to a reference, and expectations under it. */
const reference = [0.2, 0.5, 0.3];
const softmax = (logits: readonly number[]): number[] => {
  const total = logits.reduce((sum, z) => sum + Math.exp(z), 0);
  return logits.map((z) => Math.exp(z) / total);
};
const exactKl = (logits: readonly number[]): number =>
  softmax(logits).reduce((sum, p, i) => sum + p * Math.log(p / reference[i]!), 0);
/** E over the policy's own samples of slope · d log π / d logit j. */
const expectedGradient = (logits: readonly number[], slopeOf: (i: number) => number): number[] => {
  const p = softmax(logits);
  return logits.map((_, j) =>
    p.reduce((sum, pi, i) => sum + pi * slopeOf(i) * ((i === j ? 1 : 0) - p[j]!), 0),
  );
};

test("on the policy's own samples, k2 and ratio-weighted k3 have the gradient of the KL; k3 and k1 do not", () => {
  const logits = [0.9, -0.4, 0.1];
  const p = softmax(logits);
  const slope = (form: "k2" | "k3" | "k3-by-ratio") => (i: number) =>
    klLoss(
      {
        lossMask: [[true]],
        policyLogProbs: [[Math.log(p[i]!)]],
        referenceLogProbs: [[Math.log(reference[i]!)]],
      },
      1,
      form === "k3-by-ratio" ? { form, earlierLogProbs: [[Math.log(p[i]!)]] } : { form },
    ).derivatives.logProb![0]![0]!;
  const h = 1e-6;
  const exact = logits.map((_, j) => {
    const at = (shift: number): number => exactKl(logits.map((z, i) => (i === j ? z + shift : z)));
    return (at(h) - at(-h)) / (2 * h);
  });
  for (const [j, value] of exact.entries()) {
    expect(expectedGradient(logits, slope("k2"))[j]).toBeCloseTo(value, 8);
    expect(expectedGradient(logits, slope("k3-by-ratio"))[j]).toBeCloseTo(value, 8);
    expect(Math.abs(expectedGradient(logits, slope("k3"))[j]! - value)).toBeGreaterThan(1e-3);
    expect(expectedGradient(logits, () => 1)[j]).toBeCloseTo(0, 12);
  }
});

test("the estimators' means under the policy are the exact divergence for k1 and k3", () => {
  const logits = [0.9, -0.4, 0.1];
  const mean = (name: "k1" | "k2" | "k3"): number =>
    softmax(logits).reduce(
      (sum, p, i) => sum + p * klEstimate(name, Math.log(p / reference[i]!)),
      0,
    );
  expect(mean("k1")).toBeCloseTo(exactKl(logits), 12);
  expect(mean("k3")).toBeCloseTo(exactKl(logits), 12);
  expect(Math.abs(mean("k2") - exactKl(logits))).toBeGreaterThan(1e-3);
});

test("at the reference the loss and its derivatives are 0", () => {
  const batch = randomMinibatch(4);
  const own = { ...batch, referenceLogProbs: batch.policyLogProbs };
  for (const form of ["k2", "k3", "k3-with-k2-gradient"] as const) {
    const { loss, derivatives, metrics } = klLoss(own, 1, { form });
    expect([loss, metrics["referenceKl"]]).toEqual([0, 0]);
    expect(derivatives.logProb?.flatMap((row) => [...row]).every((v) => v === 0)).toBe(true);
  }
});

test("microbatches add up to the minibatch", () => {
  const batch = randomMinibatch(5);
  const tokenCount = batch.lossMask.flat().filter(Boolean).length;
  const whole = klLoss(batch, 0.3, { form: "k3" });
  const parts = [0, 1, 2, 3].map((b) =>
    klLoss(sequenceOf(batch, b), 0.3, { form: "k3" }, { tokenCount }),
  );
  expect(parts.reduce((sum, part) => sum + part.loss, 0)).toBeCloseTo(whole.loss, 13);
  expect(parts.reduce((sum, part) => sum + part.metrics["referenceKl"]!, 0)).toBeCloseTo(
    whole.metrics["referenceKl"]!,
    13,
  );
});

test("rewards are −coefficient·k1 of sampled tokens", () => {
  const rewards = klRewards(
    { lossMask, sampledLogProbs: policyLogProbs, referenceLogProbs: proximalLogProbs },
    0.5,
  );
  expect(rewards[0]?.[0]).toBeCloseTo(-0.05, 12);
  expect(rewards[1]?.[1]).toBeCloseTo(-0.3, 12);
  expect(rewards[0]?.[2]).toBe(0);
});

test("the adaptive coefficient rises above its target, falls below it, at a bounded rate", () => {
  const target = { target: 0.1, horizon: 100 };
  const next = (kl: number): number => nextKlCoefficient(2, { kl, samples: 10 }, target);
  expect(next(0.1)).toBe(2);
  expect(next(0.11)).toBeCloseTo(2 * 1.01, 12);
  expect(next(5)).toBeCloseTo(2 * 1.02, 12);
  expect(next(0)).toBeCloseTo(2 * 0.98, 12);
});

test("the KL of sampled tokens is the mean of k3 under the mask", () => {
  const mask = [
    [false, true],
    [true, true],
  ];
  const sampler = [
    [0, -1],
    [-2, -0.5],
  ];
  const other = [
    [-9, -1.5],
    [-1, -0.5],
  ];
  // Log-ratios 0.5, −1 and 0.
  const expected = (Math.exp(-0.5) - 1 + 0.5 + Math.exp(1) - 1 - 1) / 3;
  expect(sampledKl(mask, sampler, other)).toBeCloseTo(expected, 12);
  expect(sampledKl(mask, sampler, [[0, -1]])).toBeNaN();
  expect(sampledKl([[false]], [[-1]], [[-1]])).toBeNaN();
});

test("tokens that another policy drew count with their importance weights", () => {
  const [drawn, policy, other] = [
    [0.7, 0.2, 0.1],
    [0.0001, 0.4, 0.5999],
    [0.5, 0.3, 0.2],
  ];
  const logs = (probabilities: readonly number[] = []): number[] => probabilities.map(Math.log);
  const kl = logs(policy).reduce(
    (sum, log, token) => sum + Math.exp(log) * (log - Math.log(other?.[token] ?? 0)),
    0,
  );
  // Each token as often as it is drawn.
  const tokens = (drawn ?? []).flatMap((probability, token) =>
    Array.from({ length: Math.round(1000 * probability) }, () => token),
  );
  const rowOf = (probabilities: readonly number[] | undefined): number[][] => {
    const all = logs(probabilities);
    return [tokens.map((token) => all[token] ?? 0)];
  };
  const mask = [tokens.map(() => true)];
  const [ofPolicy, ofOther, ofDrawn] = [rowOf(policy), rowOf(other), rowOf(drawn)];
  expect(sampledKl(mask, ofPolicy, ofOther, ofDrawn)).toBeCloseTo(kl, 9);
  // The control: as if the policy had drawn them.
  expect(sampledKl(mask, ofPolicy, ofOther)).toBeGreaterThan(1000 * kl);
});
