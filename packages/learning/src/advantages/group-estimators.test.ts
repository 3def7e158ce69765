import { seededRandom } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose, expectRowsClose } from "../close.fixture.ts";
import golden from "../golden/advantages.json" with { type: "json" };
import { rankedFitness, standardizedFitness } from "./fitness.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import { leaveOneOutAdvantages } from "./leave-one-out.ts";
import { lengthWeightedAdvantages } from "./length-weighted-baseline.ts";
import { maximumLikelihoodAdvantages } from "./maximum-likelihood.ts";
import { optimalTokenAdvantages } from "./optimal-token-baseline.ts";
import { bestOnlyAdvantages, passAtKAdvantages } from "./pass-at-k.ts";
import { reinforcePlusPlusAdvantages } from "./reinforce-plus-plus.ts";
import { polychromicReward, setAdvantages } from "./set-advantages.ts";

const never = () => {
  throw new Error("nothing is drawn");
};
const rewards = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 9 });

test("agree with the reference values", () => {
  expectClose(leaveOneOutAdvantages(golden.rewards), golden.leaveOneOut);
  expectClose(maximumLikelihoodAdvantages(golden.rewards), golden.maximumLikelihood);
  const { lengths, advantages } = golden.lengthWeighted;
  expectClose(lengthWeightedAdvantages(golden.rewards, lengths), advantages);
  expectClose(bestOnlyAdvantages(golden.rewards), golden.bestOnly);
  expectClose(passAtKAdvantages(golden.rewards, 2), golden.passAtK["2"]);
  expectClose(passAtKAdvantages(golden.rewards, 3), golden.passAtK["3"]);
});

test("a weight of k counts a rollout k times in the mean and deviation of its group", () => {
  const once = groupRelativeAdvantages([1, 0, 4], { scale: "std" }, [3, 1, 2]);
  const [first, , , second, third] = groupRelativeAdvantages([1, 1, 1, 0, 4, 4], { scale: "std" });
  expectClose(once, [first ?? never(), second ?? never(), third ?? never()]);
  // Others are compared with the mean of 0 and 4, with 4 twice.
  const [own] = leaveOneOutAdvantages([1, 0, 4], [3, 1, 2]);
  expect(own).toBeCloseTo(1 - 8 / 3, 12);
});

test("a rollout with a low weight hardly moves the advantages of others", () => {
  const without = groupRelativeAdvantages([1, 0, 1], { scale: "std", convention: "sample" });
  const beside = [1, 0, 1, 100];
  const weighed = groupRelativeAdvantages(
    beside,
    { scale: "std", convention: "sample" },
    [1, 1, 1, 1e-9],
  );
  for (const [i, value] of without.entries()) expect(weighed[i]).toBeCloseTo(value, 4);
  const alone = leaveOneOutAdvantages(beside, [1, 1, 1, 1e-9]);
  expect(alone[1]).toBeCloseTo(-1, 6);
});

test("REINFORCE++ agrees with the reference values, with and without a group's baseline", () => {
  const { mask, gaps, discount, klCoefficient, ...values } = golden.reinforcePlusPlus;
  const lossMask = mask.map((row) => row.map(Boolean));
  const options = { discount, klCoefficient, referenceGaps: gaps };
  expectRowsClose(
    reinforcePlusPlusAdvantages(values.rewards, lossMask, options),
    values.advantages,
  );
  expectRowsClose(
    reinforcePlusPlusAdvantages(values.rewards, lossMask, { ...options, groups: ["a", "a"] }),
    values.withBaseline,
  );
});

test("REINFORCE++ whitens over loss tokens only, and no reward reaches a given token", () => {
  const lossMask = [
    [false, true, false, true],
    [true, false, true, false],
  ];
  const rows = reinforcePlusPlusAdvantages([1, 0], lossMask);
  const kept = rows.flatMap((row, b) => [...row].filter((_, t) => lossMask[b]![t]));
  expect(kept.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 12);
  expect(kept.reduce((sum, a) => sum + a * a, 0) / kept.length).toBeCloseTo(1, 6);
  expect(rows.flatMap((row, b) => [...row].filter((_, t) => !lossMask[b]![t]))).toEqual([
    0, 0, 0, 0,
  ]);
});

test("leave-one-out is G/(G − 1) times reward − mean", () => {
  fc.assert(
    fc.property(rewards, (values) => {
      const scale = values.length / (values.length - 1);
      expectClose(
        leaveOneOutAdvantages(values),
        groupRelativeAdvantages(values).map((a) => a * scale),
        9,
      );
    }),
  );
});

test("pass@k equals the mean lead over all enumerated subsets", () => {
  fc.assert(
    fc.property(rewards, fc.integer({ min: 2, max: 4 }), (values, k) => {
      fc.pre(k < values.length);
      const slow = values.map((own, i) => {
        const others = values.filter((_, j) => j !== i);
        const leads = subsetsOf(others, k - 1).map(
          (subset) => Math.max(own, ...subset) - Math.max(...subset),
        );
        return leads.reduce((a, b) => a + b, 0) / leads.length;
      });
      expectClose(passAtKAdvantages(values, k), slow, 9);
    }),
  );
});

function subsetsOf(values: readonly number[], size: number): number[][] {
  if (size === 0) return [[]];
  return values.flatMap((value, i) =>
    subsetsOf(values.slice(i + 1), size - 1).map((rest) => [value, ...rest]),
  );
}

test("the length-weighted baseline leaves a length-weighted sum of 0; equal lengths give the mean", () => {
  const lengths = [3, 11, 6];
  const advantages = lengthWeightedAdvantages([1, 0, 0.25], lengths);
  expect(advantages.reduce((sum, a, i) => sum + a * lengths[i]!, 0)).toBeCloseTo(0, 12);
  expectClose(lengthWeightedAdvantages([1, 0, 2], [5, 5, 5]), groupRelativeAdvantages([1, 0, 2]));
});

test("MaxRL weights a rare success by 1/p and gives 0 without a success", () => {
  expectClose(maximumLikelihoodAdvantages([1, 0, 0, 0]), [3, -1, -1, -1]);
  expectClose(maximumLikelihoodAdvantages([0, 0]), [0, 0]);
});

test("the optimal token baseline agrees with the reference values and skips given tokens", () => {
  const { logProbs, sumSquaredProbs, rewards: outcomes, advantages } = golden.optimalToken;
  expectRowsClose(
    optimalTokenAdvantages({
      lossMask: logProbs.map((row) => row.map(() => true)),
      rewards: outcomes,
      logProbs,
      sumSquaredProbs,
    }),
    advantages,
  );
  const spread = (row: readonly number[]) => [9, row[0]!, 9, ...row.slice(1)];
  const skipped = optimalTokenAdvantages({
    lossMask: logProbs.map((row) => [false, true, false, ...row.slice(1).map(() => true)]),
    rewards: outcomes,
    logProbs: logProbs.map(spread),
    sumSquaredProbs: sumSquaredProbs.map(spread),
  });
  expectRowsClose(
    skipped.map((row) => [...row].filter((_, t) => t !== 0 && t !== 2)),
    advantages,
  );
});

test("the optimal baseline of certain tokens is the plain mean", () => {
  const rows = optimalTokenAdvantages({
    lossMask: [[true], [true]],
    rewards: [1, 0],
    logProbs: [[0], [0]],
    sumSquaredProbs: [[1], [1]],
  });
  expectRowsClose(rows, [[0.5], [-0.5]]);
});

test("fitness is standardized or ranked; equal rewards carry no signal", () => {
  expectClose(standardizedFitness([1, 3]), [-1, 1]);
  expectClose(standardizedFitness([2, 2]), [0, 0]);
  expectClose(rankedFitness([10, -5, 10, 99]), [0, -0.5, 0, 0.5]);
  expectClose(rankedFitness([4, 4, 4]), [0, 0, 0]);
});

test("set advantages reward diverse successes: a distinct one outranks a copy of equal reward", () => {
  expect(polychromicReward([1, 1], ["a", "a"])).toBe(0);
  expect(polychromicReward([1, 1], ["a", "b"])).toBe(1);
  const advantages = setAdvantages([1, 1, 1, 0], ["a", "a", "b", "a"], { size: 2, random: never });
  expect(advantages[2]).toBeGreaterThan(advantages[0]!);
  expect(advantages[0]).toBe(advantages[1]);
  expect(advantages[0]).toBeGreaterThan(advantages[3]!);
  // {0,2} and {1,2} earn 1, {2,3} earns 0.5, the other three sets 0.
  expectClose(advantages, [1 / 3 - 2.5 / 6, 1 / 3 - 2.5 / 6, 2.5 / 3 - 2.5 / 6, 0.5 / 3 - 2.5 / 6]);
});

test("too many sets are sampled, and none contains a rollout twice", () => {
  const random = seededRandom(1);
  const G = 30;
  const advantages = setAdvantages(
    Array.from({ length: G }, (_, i) => (i < 15 ? 1 : 0)),
    Array.from({ length: G }, (_, i) => `${i}`),
    { size: 5, mostSets: 64, random },
  );
  const meanOf = (from: number) => advantages.slice(from, from + 15).reduce((a, b) => a + b, 0);
  expect(meanOf(0)).toBeGreaterThan(meanOf(15));
});

test.each([
  ["leave-one-out", leaveOneOutAdvantages],
  ["length-weighted", (values: readonly number[]) => lengthWeightedAdvantages(values, [3])],
  ["maximum likelihood", maximumLikelihoodAdvantages],
  ["best only", bestOnlyAdvantages],
  ["pass@k", (values: readonly number[]) => passAtKAdvantages(values, 1)],
  ["fitness", standardizedFitness],
  ["sets", (values: readonly number[]) => setAdvantages(values, ["a"], { size: 2, random: never })],
  [
    "REINFORCE++ with a baseline",
    (values: readonly number[]) =>
      reinforcePlusPlusAdvantages(values, [[true]], { groups: ["a"] }).flatMap((row) => [...row]),
  ],
] as const)("a group of one is refused: %s", (_, estimate) => {
  expect(() => estimate([1])).toThrow(expect.objectContaining({ code: "GROUP_TOO_SMALL" }));
});

test.each([
  ["a negative reward", () => maximumLikelihoodAdvantages([1, -1]), "INVALID_ARGUMENT"],
  ["an empty rollout", () => lengthWeightedAdvantages([1, 0], [3, 0]), "INVALID_ARGUMENT"],
  ["lengths of another shape", () => lengthWeightedAdvantages([1, 0], [3]), "SHAPE_MISMATCH"],
  ["k equal to the group size", () => passAtKAdvantages([1, 0], 2), "INVALID_ARGUMENT"],
  ["NaN", () => leaveOneOutAdvantages([1, Number.NaN]), "NON_FINITE_REWARD"],
])("%s is refused", (_, call, code) => {
  expect(call).toThrow(expect.objectContaining({ code }));
});
