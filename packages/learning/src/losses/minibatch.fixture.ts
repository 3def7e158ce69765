/** Seeded random minibatches for the tests of losses and corrections: ragged, masked, off-policy. */
import { seededRandom } from "@waggle/protocol";
import type { LossMask } from "../token-rows.ts";

/** All inputs that losses and corrections read. */
export type RandomMinibatch = {
  readonly lossMask: LossMask;
  readonly advantages: readonly number[][];
  readonly sequenceAdvantages: readonly number[];
  readonly policyLogProbs: readonly number[][];
  readonly proximalLogProbs: readonly number[][];
  readonly behaviorLogProbs: readonly number[][];
  readonly referenceLogProbs: readonly number[][];
  readonly entropies: readonly number[][];
  readonly values: readonly number[][];
  readonly weights: readonly number[][];
  readonly sequenceWeights: readonly number[];
  /** `[B]`; two sequences per prompt. */
  readonly prompts: readonly number[];
};

/** Four sequences of 1 to 6 tokens, each with at least one loss token. */
export function randomMinibatch(seed: number): RandomMinibatch {
  const random = seededRandom(seed);
  const lengths = [0, 1, 2, 3].map(() => 1 + Math.floor(random() * 6));
  const rows = (low: number, high: number): number[][] =>
    lengths.map((length) => Array.from({ length }, () => low + (high - low) * random()));
  const near = (center: readonly number[][], spread: number): number[][] =>
    center.map((row) => row.map((value) => Math.min(-0.01, value + spread * (random() - 0.5))));
  const behaviorLogProbs = rows(-3, -0.05);
  const proximalLogProbs = near(behaviorLogProbs, 0.6);
  const kept = lengths.map((length) => Math.floor(random() * length));
  return {
    lossMask: lengths.map((length, b) =>
      Array.from({ length }, (_, t) => t === kept[b] || random() < 0.7),
    ),
    advantages: rows(-1.5, 1.5),
    sequenceAdvantages: lengths.map(() => random() * 3 - 1.5),
    policyLogProbs: near(proximalLogProbs, 1.2),
    proximalLogProbs,
    behaviorLogProbs,
    referenceLogProbs: near(behaviorLogProbs, 0.8),
    entropies: rows(0, 2),
    values: rows(-1, 1),
    weights: rows(0, 2),
    sequenceWeights: lengths.map(() => 2 * random()),
    prompts: [0, 0, 1, 1],
  };
}

/** Every `[B]` array of a minibatch, cut to one sequence. */
export function sequenceOf<T extends object>(minibatch: T, b: number): T {
  return Object.fromEntries(
    Object.entries(minibatch).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(b, b + 1) : value,
    ]),
  ) as T;
}

/** Every row of a minibatch with two more tokens outside the loss mask, with arbitrary content. */
export function paddedMinibatch<T extends { readonly lossMask: LossMask }>(minibatch: T): T {
  return Object.fromEntries(
    Object.entries(minibatch).map(([name, rows]) => [
      name,
      Array.isArray(rows) && rows.every((row) => Array.isArray(row))
        ? rows.map((row: readonly unknown[]) =>
            name === "lossMask" ? [...row, false, false] : [...row, Number.NaN, -99],
          )
        : rows,
    ]),
  ) as T;
}
