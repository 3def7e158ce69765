import fc from "fast-check";
import { expect, test } from "vitest";
import golden from "../../../../test/golden/learning/learning.json" with { type: "json" };
import type { RewardedTrajectory } from "../composition/part.ts";
import { rewardedOf } from "../composition/rewarded-trajectories.fixture.ts";
import { groupRelativeAdvantages, totalAdvantages } from "./group-advantages.ts";

const rewards = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), {
  minLength: 2,
  maxLength: 16,
});

test.each([
  ["none", {}],
  ["population", { scale: "std", epsilon: 0 }],
  ["sample-1e-6", { scale: "std", convention: "sample" }],
  ["sample-1e-4", { scale: "std", convention: "sample", epsilon: 1e-4 }],
] as const)("agrees with the reference values: %s", (name, options) => {
  const advantages = groupRelativeAdvantages(golden.inputs.rewards, options);
  expect(advantages).toHaveLength(4);
  for (const [i, value] of golden.advantages[name].entries()) {
    expect(advantages[i]).toBeCloseTo(value, 12);
  }
});

test.each(["none", "std"] as const)(
  "sum to zero and ignore a constant shift: scale %s",
  (scale) => {
    fc.assert(
      fc.property(rewards, fc.double({ min: -5, max: 5, noNaN: true }), (values, shift) => {
        // A tiny std would amplify the rounding of the shift itself.
        fc.pre(Math.max(...values) - Math.min(...values) > 1e-3);
        const plain = groupRelativeAdvantages(values, { scale });
        const moved = groupRelativeAdvantages(
          values.map((value) => value + shift),
          { scale },
        );
        expect(plain.reduce((sum, a) => sum + a, 0)).toBeCloseTo(0, 9);
        for (const [i, value] of plain.entries()) expect(moved[i]).toBeCloseTo(value, 7);
      }),
    );
  },
);

/** Mean advantage of the successes in groups of `size` that were assigned for `places`, over all outcomes of such groups. */
function meanOfSuccesses(size: number, places: number | undefined, success: number): number {
  let [sum, count] = [0, 0];
  for (let outcome = 0; outcome < 2 ** size; outcome += 1) {
    const solved = Array.from({ length: size }, (_, i) => ((outcome >> i) & 1) === 1);
    const probability = solved.reduce((all, is) => all * (is ? success : 1 - success), 1);
    for (const [i, advantage] of totalAdvantages(assigned(solved, places), {}).entries()) {
      if (solved[i] !== true) continue;
      sum += probability * advantage;
      count += probability;
    }
  }
  return sum / count;
}

function assigned(solved: readonly boolean[], places: number | undefined): RewardedTrajectory[] {
  return solved.map((is, i) => {
    const rewarded = rewardedOf(`${i}`, { reward: is ? 1 : 0 });
    const ofGroup = places === undefined ? {} : { places };
    return { ...rewarded, trajectory: { ...rewarded.trajectory, ...ofGroup } };
  });
}

test("of a group that lost rollouts, they have the mean that they have in the whole group", () => {
  const whole = (1 - 1 / 8) * (1 - 0.3);
  for (const left of [8, 5, 2]) expect(meanOfSuccesses(left, 8, 0.3)).toBeCloseTo(whole, 12);
  // The control: judged as a group of two, successes count for little more than half.
  expect(meanOfSuccesses(2, undefined, 0.3)).toBeCloseTo((4 / 7) * whole, 12);
  // More rollouts than places, as trials at a request.
  expect(meanOfSuccesses(4, 1, 0.3)).toBeCloseTo((1 - 1 / 4) * (1 - 0.3), 12);
});

test("of rollouts with unequal reputations, each has the scale that its own share gives it in the whole group", () => {
  const of = (reputations: readonly number[], places: number) =>
    totalAdvantages(
      assigned([true, false], places).map((one, i) => ({
        ...one,
        trajectory: { ...one.trajectory, reputation: reputations[i]! },
      })),
      {},
    );
  // Compared with the other one, and shrunk by its share of eight rollouts that weigh 0.55 on average.
  for (const [i, own] of [1, 0.1].entries()) {
    const sign = i === 0 ? 1 : -1;
    expect(of([1, 0.1], 8)[i]).toBeCloseTo(sign * (1 - own / (8 * 0.55)), 12);
  }
  // No sender gains weight by having little reputation: none has more than the difference of the rewards.
  for (const reputation of [1, 0.5, 0.01]) {
    expect(Math.max(...of([1, reputation], 8).map(Math.abs))).toBeLessThan(1);
  }
});

test("divided by their deviation, they do not depend on rollouts that are missing", () => {
  const of = (places: number) =>
    totalAdvantages(assigned([true, false, false], places), { scale: "std" });
  expect(of(8)).toEqual(of(3));
});

test("are permuted with the group", () => {
  fc.assert(
    fc.property(rewards, (values) => {
      const reversed = groupRelativeAdvantages([...values].reverse()).reverse();
      for (const [i, value] of groupRelativeAdvantages(values).entries()) {
        expect(reversed[i]).toBeCloseTo(value, 10);
      }
    }),
  );
});

test("a group with equal rewards carries no signal", () => {
  expect(groupRelativeAdvantages([0.5, 0.5, 0.5], { scale: "std" })).toEqual([0, 0, 0]);
});

test.each([
  [[], "GROUP_TOO_SMALL"],
  [[1], "GROUP_TOO_SMALL"],
  [[1, Number.NaN], "NON_FINITE_REWARD"],
  [[Number.POSITIVE_INFINITY, 0], "NON_FINITE_REWARD"],
])("refuses %j with %s", (values, code) => {
  expect(() => groupRelativeAdvantages(values)).toThrow(expect.objectContaining({ code }));
});
