/** Imitation losses: DFT, plain text, observations, weights by return, unlikelihood and distillation. */
import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { wrongDerivatives } from "../../derivative-check.fixture.ts";
import { addLosses, scaleLoss, toTokenDerivatives } from "../../loss.ts";
import { randomMinibatch, sequenceOf } from "../minibatch.fixture.ts";
import { dynamicFineTuning } from "./dft.ts";
import {
  candidateDistillation,
  type CandidateDivergence,
  onPolicyDistillation,
} from "./distillation.ts";
import { languageModelLoss } from "./language-model.ts";
import { observationLoss } from "./observation-loss.ts";
import { supervisedLoss } from "./supervised-loss.ts";
import { unlikelihoodLoss } from "./unlikelihood.ts";

test("DFT: each token's derivative is its probability times that of the cross-entropy", () => {
  const batch = randomMinibatch(1);
  const plain = supervisedLoss(batch).derivatives.logProb ?? [];
  const { loss, derivatives } = dynamicFineTuning(batch);
  for (const [b, row] of batch.policyLogProbs.entries()) {
    for (const [t, logProb] of row.entries()) {
      expect(derivatives.logProb?.[b]?.[t]).toBeCloseTo(Math.exp(logProb) * plain[b]![t]!, 14);
    }
  }
  // The check holds the probability fixed.
  const fixed = batch.policyLogProbs.map((row, b) =>
    row.map((logProb, t) => Math.exp(logProb) * batch.weights[b]![t]!),
  );
  const twin = (rows: readonly number[][]): number =>
    supervisedLoss({ ...batch, policyLogProbs: rows, weights: fixed }).loss;
  expect(loss).toBeCloseTo(twin(batch.policyLogProbs as number[][]), 14);
  expect(wrongDerivatives(batch.policyLogProbs, derivatives.logProb ?? [], twin)).toEqual([]);
});

test("plain text: every token counts except the first of a document", () => {
  const policyLogProbs = [
    [-9, -1, -2],
    [-9, -3, -9, -4],
  ];
  const { loss, derivatives } = languageModelLoss(policyLogProbs, [[], [2]]);
  expect(loss).toBeCloseTo((1 + 2 + 3 + 4) / 4, 12);
  expect(derivatives.logProb?.map((row) => [...row])).toEqual([
    [0, -0.25, -0.25],
    [0, -0.25, 0, -0.25],
  ]);
});

test("observations have a loss of their own, averaged over their own count", () => {
  const lossMask = [[false, true, false, false, false]];
  const observationMask = [[false, false, true, true, true]];
  const policyLogProbs = [[0, -1, -2, -3, -4]];
  const observed = observationLoss({ lossMask, observationMask, policyLogProbs });
  expect(observed.loss).toBeCloseTo(3, 12);
  expect([...observed.derivatives.logProb![0]!]).toEqual([0, 0, ...[1, 1, 1].map(() => -1 / 3)]);
  expect(() => observationLoss({ lossMask, observationMask: lossMask, policyLogProbs })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("the sum and the multiple of losses keep every kind of derivative", () => {
  const rows = (value: number) => [Float64Array.of(value, 2 * value)];
  const one = {
    loss: 1,
    derivatives: {
      logProb: rows(1),
      values: rows(3),
      candidateLogProbs: [[Float64Array.of(1, 2), null]],
    },
    metrics: {},
  };
  const two = { ...one, derivatives: { ...one.derivatives, entropy: rows(5), logProb: undefined } };
  const total = addLosses(one, scaleLoss(two, 10));
  const single = toTokenDerivatives(total.derivatives);
  expect(total.loss).toBe(11);
  expect([...single.logProb![0]!]).toEqual([1, 2]);
  expect([...single.entropy![0]!]).toEqual([50, 100]);
  expect([...single.values![0]!]).toEqual([33, 66]);
  expect([...single.candidateLogProbs![0]![0]!]).toEqual([11, 22]);
  expect(single.candidateLogProbs![0]![1]).toBeNull();
});

test("unlikelihood: derivatives are those of −log(1 − π), finite at certainty", () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const batch = randomMinibatch(seed);
    const { loss, derivatives } = unlikelihoodLoss(batch);
    const twin = (rows: readonly number[][]): number =>
      batch.lossMask
        .flatMap((row, b) =>
          row.flatMap((kept, t) =>
            kept ? [-batch.weights[b]![t]! * Math.log(1 - Math.exp(rows[b]![t]!))] : [],
          ),
        )
        .reduce((a, c) => a + c, 0) / batch.lossMask.flat().filter(Boolean).length;
    expect(loss).toBeCloseTo(twin(batch.policyLogProbs as number[][]), 12);
    expect(wrongDerivatives(batch.policyLogProbs, derivatives.logProb ?? [], twin)).toEqual([]);
  }
  const certain = unlikelihoodLoss({ lossMask: [[true]], policyLogProbs: [[0]] });
  expect(Number.isFinite(certain.loss) && certain.derivatives.logProb![0]![0]! > 0).toBe(true);
});

test("distillation on sampled tokens: the log-prob gap is a detached advantage", () => {
  for (let seed = 1; seed <= 10; seed += 1) {
    const batch = {
      ...randomMinibatch(seed),
      teacherLogProbs: randomMinibatch(seed).referenceLogProbs,
    };
    const { loss, derivatives, metrics } = onPolicyDistillation(batch);
    const tokens = batch.lossMask.flat().filter(Boolean).length;
    const twin = (rows: readonly number[][]): number =>
      batch.lossMask
        .flatMap((row, b) =>
          row.flatMap((kept, t) => {
            const gap = batch.teacherLogProbs[b]![t]! - batch.policyLogProbs[b]![t]!;
            const ratio = Math.exp(rows[b]![t]! - batch.behaviorLogProbs[b]![t]!);
            return kept ? [(-gap * batch.weights[b]![t]! * ratio) / tokens] : [];
          }),
        )
        .reduce((a, c) => a + c, 0);
    expect(loss).toBeCloseTo(twin(batch.policyLogProbs as number[][]), 12);
    expect(wrongDerivatives(batch.policyLogProbs, derivatives.logProb ?? [], twin)).toEqual([]);
    expect(Number.isFinite(metrics["teacherKl"])).toBe(true);
  }
  const own = randomMinibatch(3);
  const same = onPolicyDistillation({ ...own, teacherLogProbs: own.policyLogProbs });
  expect(same.derivatives.logProb!.flatMap((row) => [...row]).every((v) => v === 0)).toBe(true);
});

/** Log-probs of three candidates with most of the probability, at some positions. */
const candidateRows = (seed: number, lengths: readonly number[]) => {
  const random = seededRandom(seed);
  return lengths.map((length) =>
    Array.from({ length }, (_, t) => {
      const weights = [1, 1, 1, 1].map(() => 0.1 + random());
      const total = weights.reduce((a, b) => a + b, 0);
      return t === 0 ? null : weights.slice(0, 3).map((weight) => Math.log(weight / total));
    }),
  );
};

const DIVERGENCES: readonly CandidateDivergence[] = [
  { direction: "reverse", support: "renormalized" },
  { direction: "forward", support: "renormalized" },
  { direction: "reverse", support: "with-rest" },
  { direction: "forward", support: "with-rest" },
];

test.each(DIVERGENCES)(
  "distillation over candidates ($direction, $support): the divergence matches its derivatives",
  (divergence) => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { lossMask } = randomMinibatch(seed);
      const lengths = lossMask.map((row) => row.length);
      const student = candidateRows(seed, lengths);
      const teacher = candidateRows(seed + 50, lengths);
      const lossOf = (rows: typeof student) =>
        candidateDistillation(
          { lossMask, candidateLogProbs: rows, teacherLogProbs: teacher },
          divergence,
        );
      const stated = lossOf(student).derivatives.candidateLogProbs!;
      for (const [b, row] of student.entries()) {
        for (const [t, entry] of row.entries()) {
          if (entry === null) continue;
          const wrong = wrongDerivatives(
            [entry],
            [stated[b]![t]!],
            ([moved]) =>
              lossOf(student.map((r, i) => r.map((e, j) => (i === b && j === t ? moved! : e))))
                .loss,
          );
          expect(wrong).toEqual([]);
        }
      }
    }
    const lossMask = [[false, true]];
    const [student, teacher] = [candidateRows(1, [2]), candidateRows(2, [2])];
    const classes = (logProbs: readonly number[]): number[] => {
      const p = logProbs.map(Math.exp);
      const total = p.reduce((a, b) => a + b, 0);
      return divergence.support === "with-rest" ? [...p, 1 - total] : p.map((x) => x / total);
    };
    const [p, q] = [classes(student[0]![1]!), classes(teacher[0]![1]!)];
    const [from, to] = divergence.direction === "reverse" ? [p, q] : [q, p];
    const expected = from.reduce((sum, x, k) => sum + x * Math.log(x / to[k]!), 0);
    const given = { lossMask, candidateLogProbs: student, teacherLogProbs: teacher };
    expect(candidateDistillation(given, divergence).loss).toBeCloseTo(expected, 12);
    const same = candidateDistillation({ ...given, teacherLogProbs: student }, divergence);
    expect(same.loss).toBeCloseTo(0, 12);
    expect(same.derivatives.candidateLogProbs![0]![1]!.every((v) => Math.abs(v) < 1e-12)).toBe(
      true,
    );
    expect(same.derivatives.candidateLogProbs![0]![0]).toBeNull();
  },
);

test("candidates that the teacher did not score are refused, and microbatches add up", () => {
  const batch = randomMinibatch(5);
  const lengths = batch.lossMask.map((row) => row.length);
  const student = candidateRows(1, lengths);
  const given = {
    lossMask: batch.lossMask,
    candidateLogProbs: student,
    teacherLogProbs: candidateRows(2, lengths),
  };
  const divergence = { direction: "forward", support: "with-rest" } as const;
  const tokenCount = batch.lossMask.flat().filter(Boolean).length;
  const whole = candidateDistillation(given, divergence).loss;
  const parts = [0, 1, 2, 3].map(
    (b) => candidateDistillation(sequenceOf(given, b), divergence, { tokenCount }).loss,
  );
  expect(parts.reduce((a, b) => a + b, 0)).toBeCloseTo(whole, 12);
  const short = student.map((row) => row.map((entry) => entry?.slice(1) ?? null));
  expect(() => candidateDistillation({ ...given, teacherLogProbs: short }, divergence)).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
});
