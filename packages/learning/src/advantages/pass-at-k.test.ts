/** `pass-at-k` over subsets of a group and over the whole group. */
import { expect, test } from "vitest";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { rewardedTrajectory } from "../composition/minibatch.ts";
import * as parts from "../parts.ts";

const REWARDS = [0.2, 1, 0.6, 0];

const trajectories = REWARDS.map((reward, i) =>
  rewardedTrajectory(
    {
      id: `${i}`,
      samples: [{ lossMask: [false, true] }],
      turns: [],
      verification: {},
    } as unknown as JudgedTrajectory,
    {
      total: reward,
    },
  ),
);

function advantages(part: ReturnType<typeof parts.bestOnly>): number[] {
  const { signal } = new AbortController();
  const context = { step: 0, steps: 1, random: () => 0, state: {}, ports: {}, signal };
  const estimated = part.estimate([{ task: "t", trajectories }], context).advantages;
  return REWARDS.map((_, i) => estimated.get(`${i}`)?.[0]?.[1] ?? Number.NaN);
}

test("best-only credits only the best trajectory, with its lead", () => {
  expect(advantages(parts.bestOnly()).map((value) => Number(value.toFixed(12)))).toEqual([
    0, 0.4, 0, 0,
  ]);
});

test("for pairs, a trajectory is credited with its mean lead over those that it beats", () => {
  const [worse, best, second, worst] = advantages(parts.passAtK(2));
  expect(best).toBeCloseTo((0.8 + 0.4 + 1) / 3, 12);
  expect(second).toBeCloseTo((0.4 + 0.6) / 3, 12);
  expect(worse).toBeCloseTo(0.2 / 3, 12);
  expect(worst).toBe(0);
});
