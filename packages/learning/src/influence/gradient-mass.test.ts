import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { planMinibatch } from "../composition/minibatch.ts";
import { rewardedOf } from "../composition/rewarded-trajectories.fixture.ts";
import { derivativeMasses, gradientMasses, logitGradientNorm } from "./gradient-mass.ts";

/** `[V]` log-probs of a softmax at a temperature. */
function logSoftmax(logits: readonly number[], temperature: number): number[] {
  const scaled = logits.map((logit) => logit / temperature);
  const top = Math.max(...scaled);
  const sum = scaled.reduce((all, value) => all + Math.exp(value - top), 0);
  return scaled.map((value) => value - top - Math.log(sum));
}

test("the norm is that of the gradient by central differences", () => {
  const random = mulberry32(5);
  const step = 1e-5;
  for (let trial = 0; trial < 200; trial += 1) {
    const logits = Array.from({ length: 2 + Math.floor(6 * random()) }, () => 6 * random() - 3);
    const temperature = 0.5 + 1.5 * random();
    const taken = Math.floor(logits.length * random());
    const at = (i: number, change: number): number =>
      logSoftmax(
        logits.map((logit, j) => (j === i ? logit + change : logit)),
        temperature,
      )[taken] as number;
    const slopes = logits.map((_, i) => (at(i, step) - at(i, -step)) / (2 * step));
    const logProbs = logSoftmax(logits, temperature);
    const squares = logProbs.reduce((sum, logProb) => sum + Math.exp(2 * logProb), 0);
    const norm = logitGradientNorm(logProbs[taken] as number, squares, temperature);
    expect(norm).toBeCloseTo(Math.hypot(...slopes), 7);
    // Without the squares it is never too small.
    const assumed = logitGradientNorm(logProbs[taken] as number, undefined, temperature);
    expect(assumed).toBeGreaterThanOrEqual(norm - 1e-12);
  }
});

test("a certain token pulls nothing, and rounding never makes a norm that is not a number", () => {
  expect(logitGradientNorm(0, 1, 1)).toBe(0);
  expect(logitGradientNorm(-1e-9, 1 - 2e-9 - 1e-12, 1)).not.toBeNaN();
});

/** Two trajectories of two tokens, one of them given. */
const groups = [{ task: "t", trajectories: [rewardedOf("a"), rewardedOf("b")] }];
const rows = (a: number, b: number) =>
  new Map([
    ["a", [Float64Array.from([0, a])]],
    ["b", [Float64Array.from([0, b])]],
  ]);
const planned = planMinibatch(groups, { kind: "token-mean" }, { advantages: rows(-2, 1) });

test("the mass of a trajectory is share times weight times absolute advantage times norm", () => {
  const outputs = { logProb: rows(Math.log(0.5), Math.log(0.25)), sumSquaredProb: rows(0.5, 0.3) };
  const masses = gradientMasses(planned, outputs);
  // Each token has half of the loss.
  expect(masses.get("a")).toBeCloseTo(0.5 * 2 * Math.sqrt(1 - 1 + 0.5), 12);
  expect(masses.get("b")).toBeCloseTo(0.5 * 1 * Math.sqrt(1 - 0.5 + 0.3), 12);
  const heavy = { ...planned, weights: planned.weights.map((row) => Array.from(row, () => 3)) };
  expect(gradientMasses(heavy, outputs).get("a")).toBeCloseTo(1.5 * 2 * Math.sqrt(0.5), 12);
});

test("a temperature below 1 raises the mass", () => {
  const outputs = { logProb: rows(Math.log(0.5), Math.log(0.5)), sumSquaredProb: rows(0.5, 0.5) };
  const cold = {
    ...planned,
    rows: planned.rows.map((row) => ({
      ...row,
      sample: { ...row.sample, sequence: { ...row.sample.sequence, temperatures: [1, 0.5] } },
    })),
  };
  const warm = gradientMasses(planned, outputs).get("a") ?? 0;
  expect(gradientMasses(cold, outputs).get("a")).toBeCloseTo(2 * warm, 12);
});

test("a sample without log-probs is refused", () => {
  expect(() => gradientMasses(planned, { logProb: new Map() })).toThrow(
    "sample 0 of trajectory a has no log-probs",
  );
});

test("the mass of derivatives is that of the advantages that cause them", () => {
  const outputs = { logProb: rows(Math.log(0.5), Math.log(0.25)), sumSquaredProb: rows(0.5, 0.3) };
  const sequences = planned.rows.map(({ rewarded, sample: { sequence } }) => ({
    id: rewarded.trajectory.id,
    sequence,
  }));
  // REINFORCE: each token has half of the loss.
  const slopes = [
    [0, 0.5 * 2],
    [0, -0.5 * 1],
  ];
  const ofRows = (from: ReturnType<typeof rows>) => ["a", "b"].map((id) => from.get(id)?.[0] ?? []);
  const masses = derivativeMasses(sequences, slopes, {
    logProb: ofRows(outputs.logProb),
    sumSquaredProb: ofRows(outputs.sumSquaredProb),
  });
  expect(masses).toEqual(gradientMasses(planned, outputs));
});
