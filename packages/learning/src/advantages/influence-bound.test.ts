import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { planMinibatch } from "../composition/minibatch.ts";
import { rewardedOf } from "../composition/rewarded-trajectories.fixture.ts";
import { boundedAdvantages, contributorInfluence, influenceScales } from "./influence-bound.ts";

/** The same scales, found by bisection on the bound. */
function plainScales(weights: readonly number[], share: number): number[] {
  const speaking = weights.filter((weight) => weight > 0).length;
  if (share < 1 && speaking <= 2) {
    return weights.map((weight) => (weight > 0 && weights.length > 2 ? 0 : 1));
  }
  const most = Math.max(share, 2 / speaking);
  const isTooMuch = (bound: number): boolean => {
    const bounded = weights.map((weight) => Math.min(weight, bound));
    const sum = bounded.reduce((all, weight) => all + weight, 0);
    return bounded.some((weight) => weight > most * sum);
  };
  let [low, high] = [0, Math.max(...weights)];
  if (!isTooMuch(high)) return weights.map(() => 1);
  for (let i = 0; i < 200; i += 1) {
    const middle = (low + high) / 2;
    if (isTooMuch(middle)) high = middle;
    else low = middle;
  }
  return weights.map((weight) => (weight > low ? low / weight : 1));
}

test("a flood is reduced to its maximal share, others keep their weight", () => {
  const scales = influenceScales([90, 1, 2, 3, 4], 0.4);
  // 6.67 of 16.67.
  expect(scales[0]).toBeCloseTo(20 / 3 / 90, 12);
  expect(scales.slice(1)).toEqual([1, 1, 1, 1]);
});

test("with few contributors the bound is twice an equal share; two keep their weights", () => {
  expect(influenceScales([3, 1], 0.1)).toEqual([1, 1]);
  expect(influenceScales([9], 0.1)).toEqual([1]);
  expect(influenceScales([0, 0], 0.1)).toEqual([1, 1]);
  expect(influenceScales([0, 0, 0, 0], 0.1)).toEqual([1, 1, 1, 1]);
  expect(influenceScales([], 0.1)).toEqual([]);
  // With four contributors the bound is twice an equal share: half, as much as the other three together.
  expect(influenceScales([90, 1, 2, 3], 0.1)[0]).toBeCloseTo(6 / 90, 12);
});

test("one or two weighted contributors among more participants count nothing", () => {
  expect(influenceScales([5, 0, 0, 0, 0], 0.4)).toEqual([0, 1, 1, 1, 1]);
  expect(influenceScales([5, 2, 0, 0, 0], 0.4)).toEqual([0, 0, 1, 1, 1]);
  // With three weighted contributors each may have two thirds of the total.
  expect(influenceScales([5, 1, 0.5, 0, 0], 0.4)[0]).toBeCloseTo(3 / 5, 12);
  expect(influenceScales([5, 0, 0, 0, 0], 1)).toEqual([1, 1, 1, 1, 1]);
});

test("agrees with bisection for random weights", () => {
  const random = mulberry32(3);
  for (let trial = 0; trial < 300; trial += 1) {
    const weights = Array.from({ length: 1 + Math.floor(12 * random()) }, () =>
      random() < 0.2 ? 0 : Math.exp(6 * random() - 3),
    );
    const share = 0.05 + 0.95 * random();
    const plain = plainScales(weights, share);
    for (const [i, scale] of influenceScales(weights, share).entries()) {
      expect(scale).toBeCloseTo(plain[i] ?? Number.NaN, 9);
    }
  }
});

test.each([0, -0.1, 1.01, Number.NaN])("a share of %s is refused", (share) => {
  expect(() => influenceScales([1], share)).toThrow(/in \(0, 1\]/);
});

/** Ten trajectories of one token: six of the first contributor, one of each other, one of no one. */
const IDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
const CONTRIBUTORS = new Map([
  ...IDS.slice(0, 6).map((id) => [id, "flood"] as const),
  ["g", "one"] as const,
  ["h", "two"] as const,
  ["i", "three"] as const,
]);
const ADVANTAGES = new Map(
  IDS.map((id, i) => [id, [Float64Array.from([0, i % 2 === 0 ? 1 : -1])]]),
);
const planned = (advantages = ADVANTAGES) =>
  planMinibatch(
    [{ task: "t", trajectories: IDS.map((id) => rewardedOf(id)) }],
    { kind: "token-mean" },
    { advantages },
  );

test("influence is the share of the loss times the absolute advantage, summed by contributor", () => {
  const influence = contributorInfluence(planned(), CONTRIBUTORS);
  expect([...influence.keys()]).toEqual(["flood", "one", "two", "three"]);
  expect(influence.get("flood")).toBeCloseTo(0.6, 12);
  expect(influence.get("one")).toBeCloseTo(0.1, 12);
});

test("bounded advantages keep their signs, and no contributor exceeds the share", () => {
  const bounded = boundedAdvantages(ADVANTAGES, planned(), CONTRIBUTORS, 0.5) as typeof ADVANTAGES;
  const influence = contributorInfluence(planned(bounded), CONTRIBUTORS);
  const all = [...influence.values()].reduce((sum, weight) => sum + weight, 0);
  expect((influence.get("flood") ?? 0) / all).toBeCloseTo(0.5, 12);
  expect(bounded.get("a")?.[0]?.[1]).toBeCloseTo(0.5, 12);
  expect(bounded.get("b")?.[0]?.[1]).toBeCloseTo(-0.5, 12);
  for (const id of ["g", "h", "i", "j"]) expect(bounded.get(id)).toEqual(ADVANTAGES.get(id));
});

test("two contributors do not decide for others that are present without a signal", () => {
  const two = new Map([...CONTRIBUTORS].filter(([, name]) => ["flood", "one"].includes(name)));
  const alone = boundedAdvantages(ADVANTAGES, planned(), two, 0.5);
  expect(alone.get("a")?.[0]?.[1]).toBe(1);
  const watched = boundedAdvantages(ADVANTAGES, planned(), two, 0.5, ["silent"]);
  expect(watched.get("a")?.[0]?.[1]).toBe(0);
});
