import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { influenceFactors, influenceScales, massByName, scaledMasses } from "./influence-bound.ts";

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

/** Ten trajectories of mass 1: six of one visitor, three of others, and one of nobody. */
const IDS = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
const MASSES = new Map(IDS.map((id) => [id, 1] as const));
const VISITORS = new Map([
  ...IDS.slice(0, 6).map((id) => [id, "flood"] as const),
  ["g", "one"] as const,
  ["h", "two"] as const,
  ["i", "three"] as const,
]);

/** Share of each name after the bounds. */
function sharesAfter(
  masses: ReadonlyMap<string, number>,
  factors: ReadonlyMap<string, number>,
  names: ReadonlyMap<string, string>,
): Map<string, number> {
  const held = massByName(scaledMasses(masses, factors), names);
  const all = [...held.values()].reduce((sum, mass) => sum + mass, 0);
  return new Map([...held].map(([name, mass]) => [name, mass / all]));
}

test("no visitor exceeds the share, and the trajectories of others keep their mass", () => {
  const factors = influenceFactors(MASSES, [{ names: VISITORS, share: 0.5 }]);
  expect(sharesAfter(MASSES, factors, VISITORS).get("flood")).toBeCloseTo(0.5, 12);
  expect(factors.get("a")).toBeCloseTo(0.5, 12);
  for (const id of ["g", "h", "i", "j"]) expect(factors.get(id)).toBe(1);
});

test("two visitors do not decide for others that are present without a mass", () => {
  const names = new Map([...VISITORS].filter(([, name]) => ["flood", "one"].includes(name)));
  const alone = influenceFactors(MASSES, [{ names, share: 0.5 }]);
  expect(alone.get("a")).toBe(1);
  const watched = influenceFactors(MASSES, [{ names, share: 0.5, present: ["silent"] }]);
  expect(watched.get("a")).toBe(0);
});

/** 12 names of one network, and 9 visitors with a network each. */
const PEOPLE = Array.from({ length: 21 }, (_, i) => `p${i}`);
const ONE_EACH = new Map(PEOPLE.map((id) => [id, 1] as const));
const OWN = new Map(PEOPLE.map((id) => [id, id] as const));
const NETWORKS = new Map(PEOPLE.map((id, i) => [id, i < 12 ? "office" : id] as const));

test("many names of one network are bounded together, by at most twice an equal share", () => {
  const factors = influenceFactors(ONE_EACH, [
    { names: OWN, share: 0.1 },
    { names: NETWORKS, share: 0.1, least: 8 },
  ]);
  // Ten networks with a mass.
  const shares = sharesAfter(ONE_EACH, factors, NETWORKS);
  expect(shares.get("office")).toBeCloseTo(0.2, 12);
  expect(factors.get("p0")).toBeCloseTo(9 / 4 / 12, 12);
  expect(factors.get("p20")).toBe(1);
});

test("a bound does not act with fewer names than its least", () => {
  const factors = influenceFactors(ONE_EACH, [{ names: NETWORKS, share: 0.1, least: 11 }]);
  expect(new Set(factors.values())).toEqual(new Set([1]));
});

test("what a name caused before counts in its share of the window", () => {
  // 20 names with a mass of 1 each before; p0 has 3 of them.
  const earlier = new Map(PEOPLE.slice(0, 20).map((id) => [id, id === "p0" ? 3 : 1]));
  const bound = { names: OWN, share: 0.1, earlier };
  const now = new Map([
    ["p0", 4],
    ["p1", 1],
  ]);
  const factors = influenceFactors(now, [bound]);
  // 0.1 · (others 20 + own) = own, so own = 20 / 9, and 3 are there already.
  expect(factors.get("p0")).toBe(0);
  expect(factors.get("p1")).toBe(1);
  const less = new Map(earlier).set("p0", 1);
  const some = influenceFactors(now, [{ ...bound, earlier: less }]);
  expect(1 + 4 * (some.get("p0") ?? 0)).toBeCloseTo(20 / 9, 12);
});

test("the window does not bind while the share is less than twice an equal share", () => {
  const earlier = new Map(PEOPLE.slice(0, 18).map((id) => [id, id === "p0" ? 30 : 1]));
  const now = new Map([
    ["p0", 4],
    ["p1", 1],
  ]);
  expect(influenceFactors(now, [{ names: OWN, share: 0.1, earlier }]).get("p0")).toBe(1);
});
