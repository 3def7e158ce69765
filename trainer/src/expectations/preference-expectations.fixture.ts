/**
 * How each recipe of the preference table differs from plain imitation of demonstrations with some
 * mistakes. A check must pass for its recipe and fail for that control. Checks of a stage that
 * learns from pairs must also fail if chosen and rejected are exchanged.
 */
import { toolErrors } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  type Check,
  type Expectation,
  fitsCritic,
  judged,
  keeps,
  learnsInTurn,
  learnsPairs,
  numbersOf,
  rewardedOf,
} from "./recipe-checks.fixture.ts";
import { RETURN_EXPECTATIONS } from "./return-expectations.fixture.ts";
import { ROLE_PREFERENCE_EXPECTATIONS } from "./role-expectations.fixture.ts";
import { pairsAtForks, prefersAtForks, searches } from "./search-expectations.fixture.ts";
import { trainsRewardModel } from "./several-model-expectations.fixture.ts";
import type { UpdateNumbers } from "../update/stage-update.ts";

type RewardedTrajectory = UpdateNumbers["groups"][number]["trajectories"][number];

/** Every row of a pair is a whole rollout: all of its turns have gradients. */
const pairsWholeRuns: Check = (records) => {
  const { result, minibatch } = numbersOf(at(records, -1));
  expect(minibatch.pairs.length).toBeGreaterThan(0);
  for (const row of minibatch.pairs.flat()) {
    for (const { start, end } of minibatch.trajectories[row]?.trajectory.turns ?? []) {
      const moved = result.derivatives.logProb?.[row]?.subarray(start, end) ?? [];
      expect(Array.from(moved).every((value) => value !== 0)).toBe(true);
    }
  }
};

/** A stage uses this rollout part. */
function rollsOut(stage: number, part: string): Check {
  return (records) => {
    expect(at(records, stage).stage.rollout.part).toBe(part);
  };
}

/**
 * Turns are imitated with the weights of `strengthOf`, which are not all equal; values have no
 * gradient.
 */
function imitatesBy(
  stage: number,
  strengthOf: (
    rewarded: RewardedTrajectory,
    turn: number,
    all: readonly RewardedTrajectory[],
  ) => number,
): Check {
  return (records) => {
    const { result, minibatch } = numbersOf(at(records, stage));
    const seen = new Set<number>();
    for (const [b, rewarded] of minibatch.trajectories.entries()) {
      if (rewarded.trajectory.role === "proposal") continue;
      for (const [i, { start }] of rewarded.trajectory.turns.entries()) {
        const strength = strengthOf(rewarded, i, minibatch.trajectories);
        const share = minibatch.shares[b]?.[start] ?? 0;
        expect(result.derivatives.logProb?.[b]?.[start]).toBeCloseTo(-share * strength, 9);
        seen.add(strength);
      }
    }
    expect(seen.size).toBeGreaterThan(1);
  };
}

/** Tokens of the last turn. */
function lastSaid({ turns, samples }: RewardedTrajectory["trajectory"]): string {
  const { sample = 0, start = 0, end = 0 } = turns.at(-1) ?? {};
  return samples[sample]?.sequence.tokenIds.slice(start, end).join(" ") ?? "";
}

/** The rewards of the last stage are not the verifier's. */
const paidOtherwise: Check = (records) => {
  const rewarded = rewardedOf(at(records, -1));
  expect(at(records, -1).stage.reward?.part).toBe("rm");
  expect(
    rewarded.some(({ reward, trajectory }) => reward.total !== trajectory.verification.reward),
  ).toBe(true);
};

export const PREFERENCE_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  ...ROLE_PREFERENCE_EXPECTATIONS,
  ...RETURN_EXPECTATIONS,
  aidsafe: {
    differs: [
      learnsInTurn("tokens", "pairs"),
      keeps(0, (trajectory) => toolErrors(trajectory) === 0),
      learnsPairs(1),
    ],
  },
  matrix: {
    differs: [
      learnsInTurn("tokens", "pairs"),
      learnsPairs(1),
      (records) => {
        const { minibatch } = numbersOf(at(records, 1));
        const called = (row: number): string => {
          const { turns } = minibatch.trajectories[row]?.trajectory ?? { turns: [] };
          return JSON.stringify(turns.at(-1)?.toolCalls.map((call) => call.arguments) ?? []);
        };
        for (const [chosen, rejected] of minibatch.pairs) {
          const { original } = minibatch.trajectories[chosen]?.trajectory.branch ?? {};
          const stored = JSON.stringify(original?.toolCalls.map((call) => call.arguments));
          expect(called(chosen)).toBe(stored);
          expect(called(rejected)).not.toBe(stored);
        }
      },
    ],
  },
  "agentic-vrpo": {
    differs: [
      learnsInTurn("tokens", "pairs"),
      learnsPairs(1),
      (records) => {
        // Sampled tokens count more or less than once, some not at all.
        const { result, minibatch } = numbersOf(at(records, 1));
        for (const row of minibatch.pairs.flat()) {
          const pulls = Array.from(result.derivatives.logProb?.[row] ?? [], Math.abs).filter(
            (_, t) => minibatch.lossMask[row]?.[t] === true,
          );
          expect(new Set(pulls.map((pull) => pull.toFixed(9))).size).toBeGreaterThan(1);
        }
      },
    ],
  },
  "formal-methods": {
    differs: [
      learnsPairs(0),
      rollsOut(0, "single"),
      (records) => {
        // Rewards are shares of four specifications, and partial rewards occur.
        const shares = rewardedOf(at(records, 0)).map(({ reward }) => 4 * reward.total);
        expect(shares.every(Number.isInteger)).toBe(true);
        expect(shares.some((share) => share > 0 && share < 4)).toBe(true);
      },
    ],
  },
  mosaic: { differs: [judged, learnsPairs(0), pairsWholeRuns, rollsOut(0, "single")] },
  recap: {
    differs: [
      judged,
      learnsPairs(0),
      (records) => {
        // One task, with the same request in several wordings.
        for (const { trajectories } of at(records, 0).groups) {
          expect(new Set(trajectories.map(({ mode }) => mode)).size).toBe(3);
        }
      },
    ],
  },
  "co-rft": {
    settings: { chunk: 2, discount: 0.5 },
    differs: [
      learnsInTurn("tokens", "rewards", "rewards"),
      rollsOut(1, "log"),
      rollsOut(2, "single"),
      fitsCritic,
      (records) => {
        // The last two turns use the outcome; earlier turns use the critic.
        const { minibatch } = numbersOf(at(records, 1));
        let seen = 0;
        for (const [b, { trajectory, reward }] of minibatch.trajectories.entries()) {
          const ended = trajectory.turns
            .slice(-2)
            .map(({ start }) => minibatch.returns?.[b]?.[start]);
          expect(ended).toEqual([reward.total / 2, reward.total].slice(-ended.length));
          seen += ended.length;
        }
        expect(seen).toBeGreaterThan(2);
      },
    ],
  },
  "con-rft": {
    settings: { strength: 0 },
    differs: [
      fitsCritic,
      rollsOut(0, "log"),
      rollsOut(1, "takeover"),
      (records) => {
        expect(numbersOf(at(records, 0)).result.metrics["conservativeGap"]).toBeGreaterThan(0);
      },
      imitatesBy(1, ({ trajectory: { actors } }, turn) => (actors?.[turn] === "person" ? 1 : 0.1)),
    ],
  },
  "digi-q": {
    differs: [
      learnsInTurn("rewards", "tokens"),
      (records) => {
        const [first] = at(records, 0).stage.losses;
        const names = ["model.layers.0.mlp.up_proj.weight", "score.weight", "score.bias"];
        const chosen = first?.loss.trains?.(names, {} as never);
        expect([...(chosen ?? [])]).toEqual(["score.weight", "score.bias"]);
      },
      (records) => {
        // One of four proposals in each state, and no stored action.
        const { result, minibatch } = numbersOf(at(records, 1));
        const learned = minibatch.trajectories.filter((_, b) =>
          result.derivatives.logProb?.[b]?.some((value) => value !== 0),
        );
        const proposals = minibatch.trajectories.filter(
          ({ trajectory }) => trajectory.role === "proposal",
        );
        expect(learned.length).toBeGreaterThan(0);
        expect(learned.every(({ trajectory }) => trajectory.role === "proposal")).toBe(true);
        expect(proposals.length).toBe(4 * learned.length);
      },
    ],
  },
  oap: {
    settings: { strength: 0 },
    updates: 4,
    differs: [
      fitsCritic,
      rollsOut(0, "log"),
      imitatesBy(0, ({ trajectory: { id } }, turn, all) => {
        const asked = all.find(
          ({ trajectory: { branch } }) => branch?.trajectory === id && branch.turn === turn,
        );
        if (asked === undefined || asked.reward.total === 0.5) return 1;
        return asked.reward.total > 0.5 ? 0.2 : 2;
      }),
    ],
  },
  "agent-q": {
    settings: { critique: 0 },
    differs: [
      searches(0),
      prefersAtForks(0, "turn"),
      (records) => {
        const record = at(records, 0);
        expect(record.stage.state.judge).toBeDefined();
        expect(record.stage.state["tree-store"]).toBeDefined();
        expect(rewardedOf(record).every(({ reward }) => "judge" in (reward.components ?? {}))).toBe(
          true,
        );
      },
    ],
  },
  ipr: {
    updates: 2,
    seed: 2,
    differs: [
      rollsOut(0, "prefix-replay"),
      prefersAtForks(0, "rest"),
      (records) => {
        const { minibatch } = numbersOf(at(records, 0));
        for (const [chosen, rejected] of minibatch.pairs) {
          expect(minibatch.trajectories[chosen]?.trajectory.role).toBe("expert");
          expect(minibatch.trajectories[rejected]?.trajectory.role).toBe("policy");
        }
        expect(minibatch.pairs.length).toBeGreaterThan(0);
      },
    ],
  },
  "agent-rm": {
    settings: { trust: 0 },
    differs: [trainsRewardModel(0), searches(0), prefersAtForks(0, "value")],
  },
  moto: { differs: [fitsCritic, rollsOut(0, "log"), rollsOut(1, "sim-env")] },
  "multi-critique": {
    differs: [
      learnsInTurn("tokens", "model", "rewards"),
      trainsRewardModel(1),
      (records) => {
        // Of three proposals, the two that agree are chosen.
        const record = at(records, 0);
        const kept = new Set(rewardedOf(record).map(({ trajectory }) => trajectory.id));
        for (const { trajectories } of record.groups) {
          const agreed = trajectories.filter(({ id }) => kept.has(id)).map(lastSaid);
          expect(new Set(agreed).size).toBeLessThanOrEqual(1);
          expect(agreed.length).not.toBe(1);
        }
        expect(kept.size).toBeGreaterThan(0);
        expect(kept.size).toBeLessThan(
          record.groups.flatMap(({ trajectories }) => trajectories).length,
        );
      },
      paidOtherwise,
    ],
  },
  "proactive-agent": {
    differs: [
      learnsInTurn("model", "tokens"),
      trainsRewardModel(0),
      (records) => {
        // More proposals agree with the accepted one than with the rejected one.
        const record = at(records, 0);
        const { minibatch } = numbersOf(record);
        for (const pair of minibatch.pairs) {
          const [accepted, rejected] = pair.map((row) => {
            const trajectory = minibatch.trajectories[row]?.trajectory;
            const group = record.groups.find(({ trajectories }) =>
              trajectories.some(({ id }) => id === trajectory?.id),
            );
            if (trajectory === undefined || group === undefined) throw new Error("no group");
            return group.trajectories.filter((other) => lastSaid(other) === lastSaid(trajectory))
              .length;
          }) as [number, number];
          expect(accepted).toBeGreaterThan(rejected);
        }
        expect(minibatch.pairs.length).toBeGreaterThan(0);
      },
      (records) => {
        const rewarded = rewardedOf(at(records, 1));
        expect(rewarded.every(({ reward }) => reward.total >= 0.5 && reward.total < 1)).toBe(true);
      },
    ],
  },
  "robo-fume": {
    differs: [
      learnsInTurn("model", "rewards", "rewards"),
      trainsRewardModel(0),
      rollsOut(0, "log"),
      rollsOut(2, "single"),
      fitsCritic,
      paidOtherwise,
    ],
  },
  toa: {
    differs: [
      learnsInTurn("model", "pairs"),
      searches(1),
      pairsAtForks(1, "turn"),
      (records) => {
        const { minibatch } = numbersOf(at(records, 1));
        const chosen = minibatch.pairs.map(([row]) => minibatch.trajectories[row]?.trajectory);
        expect(chosen.length).toBeGreaterThan(0);
        expect(chosen.every((trajectory) => trajectory?.verification.success)).toBe(true);
      },
    ],
  },
};
