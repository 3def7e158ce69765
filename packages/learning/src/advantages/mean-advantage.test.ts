import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { rewardedOf } from "../composition/rewarded-trajectories.fixture.ts";
import { hasOneAdvantage, meanAdvantage, shuffledAdvantages } from "./mean-advantage.ts";

/** Two turns, with one and two sampled tokens: given, sampled, given, sampled, sampled. */
const TURNS = { turns: [{ tokens: 1 }, { tokens: 2 }] };

test("the mean is over the tokens in the loss", () => {
  const advantages = new Map([["a", [[99, 1, 99, 4, 4]]]]);
  expect(meanAdvantage(rewardedOf("a", TURNS), advantages)).toBe(3);
  expect(meanAdvantage(rewardedOf("absent", TURNS), advantages)).toBe(0);
});

test("turns with different advantages have no single advantage, and given tokens do not count", () => {
  const rewarded = rewardedOf("a", TURNS);
  expect(hasOneAdvantage(rewarded, new Map([["a", [[99, 4, 98, 4, 4]]]]))).toBe(true);
  expect(hasOneAdvantage(rewarded, new Map([["a", [[0, 1, 0, 4, 4]]]]))).toBe(false);
});

test("shuffling deals the same advantages to other trajectories, and 0 to given tokens", () => {
  const ids = ["a", "b", "c", "d", "e", "f"];
  const group = { task: "t", trajectories: ids.map((id) => rewardedOf(id, TURNS)) };
  const advantages = new Map(ids.map((id, i) => [id, [[0, i, 0, i, i]]]));
  const dealt = shuffledAdvantages(advantages, [group], seededRandom(1));
  const values = ids.map((id) => dealt.get(id)?.[0]?.[1] ?? -1);
  expect(values.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(values).not.toEqual([0, 1, 2, 3, 4, 5]);
  for (const [i, id] of ids.entries()) {
    const value = values[i] ?? -1;
    expect(Array.from(dealt.get(id)?.[0] ?? [])).toEqual([0, value, 0, value, value]);
  }
});
