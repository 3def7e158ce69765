/** Expectations of recipes that imitate rollouts conditioned on their outcome. */
import { expect } from "vitest";
import {
  at,
  type Check,
  type Expectation,
  learnsInTurn,
  numbersOf,
  rewardedOf,
} from "./recipe-checks.fixture.ts";
import { trainsRewardModel } from "./several-model-expectations.fixture.ts";

/**
 * Successes and failures are imitated with equal weight, each after its own sentence in the system
 * message. New rollouts get the sentence of the best outcome.
 */
const conditionsOnOutcome =
  (stage: number): Check =>
  (records) => {
    const record = at(records, stage);
    const { result, minibatch } = numbersOf(record);
    const condition = record.stage.losses.find(({ loss }) => loss.condition !== undefined)?.loss
      .condition;
    const prompts = new Map<string | undefined, Set<string>>();
    for (const [b, run] of minibatch.trajectories.entries()) {
      const pulls = new Set(Array.from(result.derivatives.logProb?.[b] ?? [], Math.abs));
      pulls.delete(0);
      expect(pulls.size).toBe(1);
      const told = prompts.get(condition?.(run)) ?? new Set();
      prompts.set(condition?.(run), told.add(String(run.trajectory.record.segments[0]?.tokenIds)));
    }
    expect(prompts.size).toBeGreaterThan(1);
    expect(prompts.has(condition?.(null))).toBe(true);
    // No two sentences share a prompt.
    const all = [...prompts.values()].flatMap((told) => [...told]);
    expect(new Set(all).size).toBe(all.length);
  };

export const RETURN_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "agentic-transformer": {
    differs: [
      conditionsOnOutcome(0),
      (records) => {
        expect(at(records, 0).strategy.name).toBe("log");
      },
    ],
  },
  faft: { differs: [conditionsOnOutcome(0)] },
  arp: {
    differs: [
      learnsInTurn("model", "tokens"),
      trainsRewardModel(0),
      (records) => {
        // The sentences contain labels, not outcomes.
        const { minibatch } = numbersOf(at(records, 1));
        const labels = minibatch.trajectories.map(({ reward }) => ({
          label: reward.total,
          parts: reward.components ?? {},
        }));
        expect(new Set(labels.map(({ label }) => label)).size).toBeGreaterThan(2);
        expect(labels.some(({ parts }) => (parts["similarity"] ?? 0) > 0)).toBe(true);
        expect(labels.every(({ parts }) => Number.isFinite(parts["rm"]))).toBe(true);
      },
    ],
  },
  "dt-mem": {
    updates: 2,
    differs: [
      conditionsOnOutcome(0),
      (records) => {
        expect(at(records, 0).strategy.name).toBe("log");
      },
      (records) => {
        // Successes of the first step are read before the rollouts of the second.
        const record = at(records, 0);
        const bank = JSON.stringify(record.state["memory-bank"]);
        const trajectories = rewardedOf(record).map(({ trajectory }) => trajectory);
        expect(bank).toMatch(/calculate/);
        expect(trajectories.some(({ read }) => (read?.ids["memory-bank"] ?? []).length > 0)).toBe(
          true,
        );
      },
    ],
  },
};
