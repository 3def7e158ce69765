/** Expectations of recipes that train more than a policy. */
import { expect } from "vitest";
import {
  at,
  type Check,
  trajectoriesOf,
  type Expectation,
  judged,
  learnsInTurn,
  numbersOf,
  paysTurns,
  schedules,
  rewardedOf,
  single,
  startsFromDemonstrations,
} from "./recipe-checks.fixture.ts";

/** This stage changes the values of the reward model and no log-prob. */
export function trainsRewardModel(stage: number): Check {
  return (records) => {
    const record = at(records, stage);
    const { derivatives } = numbersOf(record).result;
    expect(record.stage.trains).toBe("rm");
    expect(derivatives.values?.some((row) => row.some((value) => value !== 0))).toBe(true);
    expect(derivatives.logProb).toBeUndefined();
  };
}

/**
 * The reward model's output is a component of the reward, and distinguishes rollouts with the same
 * outcome.
 */
const paidByModel = (component: string): Check => {
  return (records) => {
    const rewarded = rewardedOf(at(records, -1));
    const said = rewarded.map(({ reward }) => reward.components?.[component] ?? Number.NaN);
    expect(said.every(Number.isFinite)).toBe(true);
    expect(new Set(said).size).toBeGreaterThan(2);
  };
};

/** In some rollout the policy was told of its failure and continued. */
const retried: Check = (records) => {
  const told = trajectoriesOf(at(records, -1)).filter(({ record: trajectory }) => {
    const asked = trajectory.segments.filter(
      (segment) => segment.kind === "given" && segment.role === "user",
    );
    return asked.length > 1;
  });
  expect(told.length).toBeGreaterThan(0);
};

export const SEVERAL_MODEL_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "agent-rlvr": { differs: [trainsRewardModel(0), learnsInTurn("model", "rewards"), retried] },
  "atom-searcher": {
    differs: [
      trainsRewardModel(0),
      paidByModel("process"),
      paysTurns,
      schedules(-1, ({ rewardWeights }) => rewardWeights?.["process"]),
    ],
  },
  "controllable-ideation": {
    differs: [
      startsFromDemonstrations,
      trainsRewardModel(1),
      single,
      paidByModel("expected"),
      (records) => {
        const [first] = rewardedOf(at(records, -1));
        expect(Object.keys(first?.reward.components ?? {})).toEqual([
          "expected",
          "success",
          "brevity",
        ]);
      },
    ],
  },
  "gen-agent": {
    differs: [
      startsFromDemonstrations,
      trainsRewardModel(1),
      paidByModel("rm"),
      paidByModel("preference"),
      (records) => {
        const branches = trajectoriesOf(at(records, -1)).map(({ branch }) => branch);
        expect(branches.every((branch) => (branch?.turn ?? 0) > 0)).toBe(true);
      },
    ],
  },
  "gen-searcher": {
    differs: [startsFromDemonstrations, trainsRewardModel(1), judged, paidByModel("rm")],
  },
  msrl: {
    differs: [
      startsFromDemonstrations,
      trainsRewardModel(1),
      schedules(-1, ({ rewardWeights }) => rewardWeights?.["rm"]),
      (records) => {
        // The first reward is for structure alone.
        for (const { reward } of rewardedOf(at(records, -1))) {
          expect(reward.total).toBeCloseTo(reward.components?.["exec"] ?? Number.NaN, 9);
          expect(reward.components?.["rm"]).toBeDefined();
        }
      },
    ],
  },
  oprl: {
    // Before the first update, the model equals the base, and no step has a reward.
    updates: 2,
    differs: [
      learnsInTurn("model", "rewards"),
      (records) => {
        const { stage, update } = at(records, 0);
        expect(stage.trains).toBe("iprm");
        expect(update.numbers?.minibatch.pairs.length).toBeGreaterThan(0);
      },
      (records) => {
        const paid = rewardedOf(at(records, -1)).flatMap(({ reward }) => reward.turnRewards ?? []);
        expect(paid.some((reward) => reward !== 0)).toBe(true);
        for (const { reward, trajectory } of rewardedOf(at(records, -1))) {
          expect(reward.total).toBe(trajectory.verification.reward);
        }
      },
    ],
  },
  prft: {
    differs: [
      learnsInTurn("model", "rewards"),
      trainsRewardModel(0),
      single,
      (records) => {
        for (const { reward, trajectory } of rewardedOf(at(records, -1))) {
          expect(reward.total).not.toBe(trajectory.verification.reward);
        }
      },
    ],
  },
};
