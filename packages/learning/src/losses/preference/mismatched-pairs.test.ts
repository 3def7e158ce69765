/** KTO's reference point: the tokens of mismatched pairs, and its value on a batch of bigrams. */
import { expect, test } from "vitest";
import { wrongDerivatives } from "../../derivative-check.fixture.ts";
import {
  contextOf,
  minibatchOf,
  rewardedOf,
} from "../../composition/rewarded-trajectories.fixture.ts";
import type { Minibatch } from "../../composition/part.ts";
import golden from "../../golden/losses.json" with { type: "json" };
import type { LossMask, TokenRows } from "../../token-rows.ts";
import { kto } from "./kto.ts";
import { mismatchedDivergence, mismatchedPairs } from "./mismatched-pairs.ts";

const { prompts, completions, desirable, beta, ...batch } = golden.mismatchedPairs;

const SEQUENCES = prompts.map((prompt, b) => ({ tokenIds: [...prompt, ...completions[b]!] }));
const LOSS_MASK: LossMask = prompts.map((prompt, b) => [
  ...prompt.map(() => false),
  ...completions[b]!.map(() => true),
]);

/** log p(token | previous token) from a table; 0 for a first token. */
function bigramLogProbs(
  table: readonly (readonly number[])[],
  sequences: readonly { readonly tokenIds: readonly number[] }[],
): number[][] {
  return sequences.map(({ tokenIds }) =>
    tokenIds.map((id, t) => (t === 0 ? 0 : table[tokenIds[t - 1]!]![id]!)),
  );
}

/** The golden batch as a minibatch, optionally with other `policyLogProbs`. */
function goldenMinibatch(
  policyLogProbs: TokenRows = bigramLogProbs(batch.policy, SEQUENCES),
): Minibatch {
  const pairs = mismatchedPairs(SEQUENCES, LOSS_MASK);
  return {
    ...minibatchOf(
      prompts.map((_, b) => ({
        advantages: [0],
        rewarded: rewardedOf(`t${b}`, { reward: desirable[b] ? 1 : 0 }),
      })),
    ),
    lossMask: LOSS_MASK,
    policyLogProbs,
    referenceLogProbs: bigramLogProbs(batch.reference, SEQUENCES),
    mismatched: {
      lossMask: pairs.lossMask,
      policyLogProbs: bigramLogProbs(batch.policy, pairs.sequences),
      referenceLogProbs: bigramLogProbs(batch.reference, pairs.sequences),
    },
  };
}

test("each prompt is followed by the completion of the previous row, the first by that of the last", () => {
  const { sequences, lossMask } = mismatchedPairs(SEQUENCES, LOSS_MASK);
  expect(sequences.map(({ tokenIds }) => tokenIds)).toEqual([
    [0, 0, 0, 2],
    [1, 2, 1, 0],
    [2, 0],
  ]);
  expect(lossMask).toEqual([
    [false, true, true, true],
    [false, false, true, true],
    [false, true],
  ]);
});

test("a pair is cut at the length of the longest row, and tokens between turns stay without loss", () => {
  const sequences = [{ tokenIds: [1, 2, 3, 4] }, { tokenIds: [5, 6, 7, 8, 9] }];
  const lossMask = [
    [false, false, false, true],
    [false, true, false, false, true],
  ];
  const pairs = mismatchedPairs(sequences, lossMask);
  expect(pairs.sequences.map(({ tokenIds }) => tokenIds)).toEqual([
    [1, 2, 3, 6, 7],
    [5, 4],
  ]);
  expect(pairs.lossMask[0]).toEqual([false, false, false, true, false]);
});

test("kto and apo-zero agree with the reference values of a batch", () => {
  const minibatch = goldenMinibatch();
  expect(mismatchedDivergence(minibatch.mismatched!)).toBeCloseTo(batch.divergence, 12);
  expect(batch.divergence).toBeGreaterThan(0);
  expect(kto(beta).compute(minibatch, contextOf()).loss).toBeCloseTo(batch.kto, 12);
  expect(kto(beta, "apo-zero").compute(minibatch, contextOf()).loss).toBeCloseTo(batch.apoZero, 12);
});

test("the divergence is detached: derivatives match the loss with it held fixed", () => {
  const { derivatives } = kto(beta).compute(goldenMinibatch(), contextOf());
  expect(
    wrongDerivatives(
      bigramLogProbs(batch.policy, SEQUENCES),
      derivatives.logProb ?? [],
      (rows) => kto(beta).compute(goldenMinibatch(rows), contextOf()).loss,
    ),
  ).toEqual([]);
});

test("a pair weighs what its prompt and its completion weigh, as in the reference values", () => {
  const minibatch = goldenMinibatch();
  const weights = LOSS_MASK.map((row, b) => row.map(() => batch.weights[b]!));
  expect(mismatchedDivergence(minibatch.mismatched!, batch.weights)).toBeCloseTo(
    batch.weightedDivergence,
    12,
  );
  // The control: without weights it is another number.
  expect(Math.abs(batch.weightedDivergence - batch.divergence)).toBeGreaterThan(0.01);
  const { loss, metrics } = kto(beta).compute({ ...minibatch, weights }, contextOf());
  expect(loss).toBeCloseTo(batch.weightedKto, 12);
  expect(metrics["ktoDivergence"]).toBeCloseTo(batch.weightedDivergence, 12);
  expect(() => mismatchedDivergence(minibatch.mismatched!, [1])).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
});

test("a completion keeps the temperatures and kept sets that it was sampled with", () => {
  const sequences = [
    { tokenIds: [1, 2, 3], temperatures: [1, 1, 0.5], keptTokenIds: [null, null, [3, 4]] },
    { tokenIds: [5, 6, 7, 8], temperatures: 0.7 },
    { tokenIds: [9, 2] },
  ];
  const lossMask = [
    [false, false, true],
    [false, false, false, true],
    [false, true],
  ];
  expect(mismatchedPairs(sequences, lossMask).sequences).toEqual([
    { tokenIds: [1, 2, 2] },
    {
      tokenIds: [5, 6, 7, 3],
      temperatures: [1, 1, 1, 0.5],
      keptTokenIds: [null, null, null, [3, 4]],
    },
    { tokenIds: [9, 8], temperatures: 0.7 },
  ]);
});

test("a pair that is cut before its completion does not count", () => {
  const pairs = { lossMask: [[true], [false]], referenceLogProbs: [[-1], [-1]] };
  expect(mismatchedDivergence({ ...pairs, policyLogProbs: [[-0.4], [-9]] })).toBeCloseTo(0.6, 12);
  const none = { ...pairs, lossMask: [[false], [false]] };
  expect(mismatchedDivergence({ ...none, policyLogProbs: [[-0.4], [-9]] })).toBe(0);
});

test("the divergence is at least 0, and 0 for a single row", () => {
  const rows = { lossMask: [[true], [true]], referenceLogProbs: [[-1], [-1]] };
  expect(mismatchedDivergence({ ...rows, policyLogProbs: [[-2], [-2]] })).toBe(0);
  expect(mismatchedDivergence({ ...rows, policyLogProbs: [[-0.5], [-0.1]] })).toBeCloseTo(0.7, 12);
  const alone = { lossMask: [[true]], policyLogProbs: [[0]], referenceLogProbs: [[-9]] };
  expect(mismatchedDivergence(alone)).toBe(0);
});

test("kto without mismatched pairs is refused, apo-zero needs none", () => {
  const minibatch = { ...goldenMinibatch(), mismatched: undefined };
  expect(() => kto().compute(minibatch, contextOf())).toThrow(/mismatched pairs.*apo-zero/);
  expect(kto(beta, "apo-zero").compute(minibatch, contextOf()).loss).toBeCloseTo(batch.apoZero, 12);
});
