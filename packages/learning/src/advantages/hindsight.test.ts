/** A = w_rl · r + w_opd · Δ on hand-computed numbers. */
import { expect, test } from "vitest";
import { clippedSurrogate } from "../losses/policy/clipped-surrogate.ts";
import type { RewardedGroup, RewardedTrajectory } from "../composition/part.ts";
import { hindsight, rewardAndHindsight } from "./hindsight.ts";

/** Two prompt tokens and three sampled ones. */
const MASK = [false, false, true, true, true];
const POLICY = [0, 0, -1, -2, -0.5];
const TEACHER = [0, 0, -0.25, -2.5, -0.5];

function rewarded(id: string, total: number): RewardedTrajectory {
  return {
    trajectory: { id, turns: [] } as unknown as RewardedTrajectory["trajectory"],
    reward: { total },
    lossMask: [MASK],
    tokenWeights: [MASK.map(() => 1)],
  };
}

const groups: readonly RewardedGroup[] = [
  { task: "a", trajectories: [rewarded("corrected", 0.25)] },
  { task: "b", trajectories: [rewarded("liked", 1)] },
];
const numbers = {
  outputs: {
    logProb: new Map([
      ["corrected", [POLICY]],
      ["liked", [POLICY]],
    ]),
  },
  hindsight: new Map([["corrected", [TEACHER]]]),
};

function advantages(part: ReturnType<typeof hindsight>, given: object = numbers) {
  const { advantages: found } = part.estimate(groups, given as never);
  return Object.fromEntries([...found].map(([id, [row = []]]) => [id, Array.from(row)] as const));
}

test("distillation alone: the gain in log-prob by the correction, and 0 without one", () => {
  expect(advantages(hindsight())).toEqual({
    corrected: [0, 0, 0.75, -0.5, 0],
    liked: [0, 0, 0, 0, 0],
  });
});

test.each([
  // r = 2 · 0.25 − 1 = −0.5 and 2 · 1 − 1 = 1.
  [1, 1, [0.25, -1, -0.5], [1, 1, 1]],
  [0.5, 2, [1.25, -1.25, -0.25], [0.5, 0.5, 0.5]],
  [1, 0, [-0.5, -0.5, -0.5], [1, 1, 1]],
  [0, 1, [0.75, -0.5, 0], [0, 0, 0]],
])("w_rl = %d and w_opd = %d weigh reward and distillation", (rl, opd, corrected, liked) => {
  const found = advantages(rewardAndHindsight(rl, opd));
  expect(found["corrected"]).toEqual([0, 0, ...corrected]);
  expect(found["liked"]).toEqual([0, 0, ...liked]);
});

test("the share of a correction is that of its part in the absolute advantage", () => {
  const shares = (part: ReturnType<typeof hindsight>) =>
    Object.fromEntries(part.estimate(groups, numbers as never).ofCorrection ?? []);
  // |Δ| sums to 1.25, and |r| to 0.5 for each of three tokens.
  expect(shares(rewardAndHindsight(1, 1))).toEqual({ corrected: 1.25 / 2.75, liked: 0 });
  expect(shares(rewardAndHindsight(1, 0))).toEqual({ corrected: 0, liked: 0 });
  expect(shares(hindsight())).toEqual({ corrected: 1, liked: 0 });
});

test("the published weights are 1 and 1", () => {
  expect(advantages(rewardAndHindsight())).toEqual(advantages(rewardAndHindsight(1, 1)));
});

test("at the first step, the gradient of the loss is −A for each token", () => {
  const row = advantages(rewardAndHindsight())["corrected"] as number[];
  const loss = (logProbs: readonly number[]) =>
    clippedSurrogate(
      {
        lossMask: [MASK],
        advantages: [row],
        policyLogProbs: [logProbs],
        proximalLogProbs: [POLICY],
      },
      { lower: 0.2, upper: 0.28 },
    );
  const slopes = loss(POLICY).derivatives.logProb?.[0] as Float64Array;
  const step = 1e-6;
  for (const t of [2, 3, 4]) {
    const moved = (by: number) =>
      loss(POLICY.map((value, i) => (i === t ? value + by : value))).loss;
    expect((moved(step) - moved(-step)) / (2 * step)).toBeCloseTo(slopes[t] as number, 6);
    expect(slopes[t]).toBeCloseTo(-(row[t] as number) / 3, 10);
  }
});

test("numbers that nobody computed, and weights that make no sense, are refused", () => {
  expect(() => advantages(hindsight(), { outputs: numbers.outputs })).toThrow(
    /needs an engine's log-probs/,
  );
  const broken = { ...numbers, hindsight: new Map([["corrected", [[0, 0, Number.NaN, 0, 0]]]]) };
  expect(() => advantages(hindsight(), broken)).toThrow(/hindsight\[0\]\[2\] is NaN/);
  expect(() => rewardAndHindsight(-1)).toThrow(/rewardWeight must be at least 0, got -1/);
  expect(() => rewardAndHindsight(1, Number.NaN)).toThrow(/hindsightWeight must be at least 0/);
  expect(() => rewardAndHindsight(0, 0)).toThrow(/both 0/);
});
