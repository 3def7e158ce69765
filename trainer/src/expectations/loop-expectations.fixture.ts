/** Expectations of the recipes made for training from an edge, compared with plain GRPO. */
import { expect } from "vitest";
import { at, type Expectation, mean, numbersOf } from "./recipe-checks.fixture.ts";

export const LOOP_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  grpo: { differs: null },
  "dr-grpo-tis": {
    differs: [
      (records) => {
        // Reward minus the group's mean, in reward units; groups with equal rewards are dropped.
        const { groups, advantages } = numbersOf(at(records, -1));
        for (const { trajectories } of groups) {
          const rewards = trajectories.map(({ reward }) => reward.total);
          expect(new Set(rewards).size).toBeGreaterThan(1);
          for (const { trajectory, reward } of trajectories) {
            const turn = trajectory.turns[0];
            const row = advantages?.get(trajectory.id)?.[turn?.sample ?? 0];
            expect(row?.[turn?.start ?? 0]).toBeCloseTo(reward.total - mean(rewards), 9);
          }
        }
      },
    ],
  },
};
