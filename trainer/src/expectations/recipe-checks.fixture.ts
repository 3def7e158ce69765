/**
 * Checks of the differences that papers describe, on the numbers of an update. Each throws if it
 * fails.
 */
import {
  type JudgedTrajectory,
  sampledTokens,
  type Settings,
  settingsAt,
  toolCalls,
  toolErrors,
} from "@waggle/learning";
import { expect } from "vitest";
import type { StageRecord } from "./recipe-update.fixture.ts";
import type { UpdateNumbers } from "../update/stage-update.ts";

/** Throws if the records do not show the property. */
export type Check = (records: readonly StageRecord[]) => void;

/** Where and how a recipe's difference is checked. */
export type Expectation = {
  /** Default: the calculator, whose tool sometimes fails. */
  readonly env?: string;
  /** Added to the recipe's own settings. */
  readonly settings?: Settings;
  /** Updates per stage, if data stored by one update shows in the next; default 1. */
  readonly updates?: number;
  /** Seed of its tasks, if those of seed 1 do not show the difference. */
  readonly seed?: number;
  /** `null` if the paper is the reference for the others. */
  readonly differs: readonly Check[] | null;
};

/** The record of a stage; negative indices count from the end. */
export function at(records: readonly StageRecord[], stage: number): StageRecord {
  const record = records.at(stage);
  if (record === undefined) throw new Error(`no stage ${stage}`);
  return record;
}

/** The numbers of the last update; throws if nothing was learned. */
export function numbersOf({ update }: StageRecord): UpdateNumbers {
  if (update.numbers === null) throw new Error("nothing was learned");
  return update.numbers;
}

/** Rewarded trajectories that the update learned from. */
export function rewardedOf(record: StageRecord): UpdateNumbers["groups"][number]["trajectories"] {
  return numbersOf(record).groups.flatMap(({ trajectories }) => trajectories);
}

/** All trajectories that the stage rolled out. */
export function trajectoriesOf({ groups }: StageRecord): JudgedTrajectory[] {
  return groups.flatMap(({ trajectories }) => trajectories);
}

/** Advantages of all tokens in the loss. */
export function advantagesOf(record: StageRecord): number[] {
  const { advantages, lossMask } = numbersOf(record).minibatch;
  return advantages.flatMap((row, b) =>
    Array.from(row).filter((_, t) => lossMask[b]?.[t] === true),
  );
}

/** `[turns]` advantage at the first token of each turn. */
export function turnAdvantages(record: StageRecord, { id, turns }: JudgedTrajectory): number[] {
  const rows = numbersOf(record).advantages?.get(id) ?? [];
  return turns.map(({ sample, start }) => rows[sample]?.[start] ?? Number.NaN);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function isDemonstration({ record: trajectory }: JudgedTrajectory): boolean {
  return trajectory.client.device === "none";
}

/** Demonstrations by cross-entropy first, the policy's own trajectories by reward last. */
export const startsFromDemonstrations: Check = (records) => {
  const [first, last] = [at(records, 0), at(records, -1)];
  expect(records.length).toBeGreaterThan(1);
  expect(first.stage.learns).toBe("tokens");
  expect(trajectoriesOf(first).every(isDemonstration)).toBe(true);
  expect(numbersOf(first).result.loss).toBeGreaterThan(0);
  expect(last.stage.learns).toBe("rewards");
  expect(trajectoriesOf(last).some(isDemonstration)).toBe(false);
};

/** A stage learns only the trajectories for which `isWanted` holds, and drops some. */
export function keeps(stage: number, isWanted: (trajectory: JudgedTrajectory) => boolean): Check {
  return (records) => {
    const record = at(records, stage);
    const kept = rewardedOf(record).map(({ trajectory }) => trajectory);
    expect(kept.length).toBeLessThan(trajectoriesOf(record).length);
    expect(kept.every(isWanted)).toBe(true);
    expect(trajectoriesOf(record).every(isWanted)).toBe(false);
  };
}

/** Only successes are learned. */
export const keepsSuccesses: Check = keeps(0, ({ verification }) => verification.success);

/** Of two trajectories with one outcome, the one with more calls has the smaller reward. */
export const callsCost: Check = (records) => {
  const rewarded = rewardedOf(at(records, -1));
  let compared = 0;
  for (const a of rewarded) {
    for (const b of rewarded) {
      const sameOutcome = a.trajectory.verification.reward === b.trajectory.verification.reward;
      if (!sameOutcome || toolCalls(a.trajectory) <= toolCalls(b.trajectory)) continue;
      expect(a.reward.total).toBeLessThan(b.reward.total);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(0);
};

/** Successes with calls are rewarded more than 1, failures never more than the outcome. */
export const bonusOnlyOnSuccess: Check = (records) => {
  const rewarded = rewardedOf(at(records, -1));
  const bonuses = rewarded.map(({ trajectory, reward }) => ({
    success: trajectory.verification.success,
    bonus: (reward.components?.["bonus"] ?? 0) > 0,
    more: reward.total - (reward.components?.["outcome"] ?? trajectory.verification.reward),
  }));
  expect(bonuses.some(({ success, bonus, more }) => success && bonus && more > 0)).toBe(true);
  expect(bonuses.some(({ success, bonus }) => !success && bonus)).toBe(true);
  expect(bonuses.every(({ success, more }) => success || more <= 1e-12)).toBe(true);
};

/** Turns are rewarded before the end, and the reward includes each turn's reward. */
export const paysTurns: Check = (records) => {
  const paid = rewardedOf(at(records, -1)).filter(({ reward }) =>
    (reward.turnRewards ?? []).slice(0, -1).some((reward) => reward !== 0),
  );
  expect(paid.length).toBeGreaterThan(0);
};

/**
 * A failed rollout is rewarded for its progress, between the rewards of a failure and a success.
 */
export const paysProgress: Check = (records) => {
  const rewarded = rewardedOf(at(records, -1));
  const failed = rewarded.filter(({ trajectory }) => !trajectory.verification.success);
  expect(failed.some(({ reward }) => reward.total > 0 && reward.total < 1)).toBe(true);
  const solved = rewarded.filter(({ trajectory }) => trajectory.verification.success);
  expect(solved.every(({ reward }) => Math.abs(reward.total - 1) < 1e-9)).toBe(true);
  // Differs from the verifier's number.
  expect(
    rewarded.some(
      ({ reward, trajectory }) => Math.abs(reward.total - trajectory.verification.reward) > 1e-9,
    ),
  ).toBe(true);
};

/** The sampling policy was older than the learning one, and importance weights show it. */
export const samplesStale: Check = (records) => {
  const record = at(records, -1);
  const expected = record.stage.settings.lag;
  expect(expected).toBeGreaterThan(0);
  expect(trajectoriesOf(record).every(({ staleness }) => staleness === expected)).toBe(true);
};

/** One trajectory per task, so group statistics are impossible. */
export const single: Check = (records) => {
  const { groups } = at(records, -1);
  expect(groups.every(({ trajectories }) => trajectories.length === 1)).toBe(true);
};

/** A value head is fitted: it has gradients, and returns differ from advantages. */
export const fitsCritic: Check = (records) => {
  const { result, minibatch } = numbersOf(at(records, -1));
  expect(result.derivatives.values?.some((row) => row.some((value) => value !== 0))).toBe(true);
  expect(minibatch.returns).toBeDefined();
};

/** A schedule changes this setting between the first and the last step. */
export function schedules(
  stage: number,
  of: (settings: ReturnType<typeof settingsAt>) => number | undefined,
): Check {
  return (records) => {
    const { stage: trained } = at(records, stage);
    const context = {
      steps: trained.steps,
      random: () => 0.5,
      state: {},
      ports: {},
      signal: new AbortController().signal,
    };
    const first = of(settingsAt(trained, { ...context, step: 0 }));
    const last = of(settingsAt(trained, { ...context, step: trained.steps - 1 }));
    expect(first).toBeDefined();
    expect(first).not.toEqual(last);
  };
}

/** Several stages, of these kinds. */
export function learnsInTurn(...kinds: readonly StageRecord["stage"]["learns"][]): Check {
  return (records) => {
    expect(records.map(({ stage }) => stage.learns)).toEqual(kinds);
  };
}

/** Mean error rate of the trajectories. */
export function errorRate(trajectories: readonly JudgedTrajectory[]): number {
  return mean(
    trajectories.map((trajectory) => toolErrors(trajectory) / Math.max(1, toolCalls(trajectory))),
  );
}

/**
 * Rewards are on the levels of the tiers, and at least one is strictly between the lowest and the
 * highest.
 */
export const paysTiers: Check = (records) => {
  const rewards = rewardedOf(at(records, -1)).map(({ reward }) => reward.total);
  expect(rewards.some((reward) => reward > 0.05 && reward < 0.95)).toBe(true);
  // Unreadable or failing calls earn less than executed ones, regardless of the rest.
  const rewarded = rewardedOf(at(records, -1));
  const [clean, failed] = [false, true].map((hasErrors) =>
    rewarded
      .filter(({ trajectory }) => !trajectory.verification.success)
      .filter(({ trajectory }) => toolErrors(trajectory) > 0 === hasErrors)
      .map(({ reward }) => reward.total),
  );
  if (clean?.length && failed?.length) expect(mean(clean)).toBeGreaterThanOrEqual(mean(failed));
};

/** Number of four behaviors in a trajectory: checks, continues, recovers, answers. */
export function behaviorsShown({ turns }: JudgedTrajectory): number {
  const calling = turns.filter((turn) => turn.toolCalls.length > 0);
  const failed = turns.findIndex((turn) => turn.toolResults.some(({ ok }) => !ok));
  const recovers = failed >= 0 && calling.some((turn) => turns.indexOf(turn) > failed);
  const answers = turns.at(-1)?.toolCalls.length === 0;
  return [calling.length > 0, calling.length > 1, recovers, answers].filter(Boolean).length;
}

/** The state contains task statistics. */
export const remembersTasks: Check = (records) => {
  const statistics = at(records, -1).state["task-stats"];
  expect(JSON.stringify(statistics)).toMatch(/calculator|key-door|form|lookup/);
};

/** Only rollouts that ended by themselves are learned. */
export const learnsEnded: Check = keeps(-1, ({ record: trajectory }) => trajectory.terminated);

/** A judge was asked: rewards are not the verifier's alone. */
export const judged: Check = (records) => {
  const record = at(records, -1);
  expect(record.stage.state.judge).toBeDefined();
  const rewarded = rewardedOf(record);
  expect(
    rewarded.some(({ reward, trajectory }) => reward.total !== trajectory.verification.reward),
  ).toBe(true);
};

/** Only groups with equal trajectories are dropped. */
export const keepsMixedGroups: Check = (records) => {
  const record = at(records, -1);
  const { groups } = numbersOf(record);
  expect(groups.length).toBeLessThan(record.groups.length);
  for (const { trajectories } of groups) {
    expect(new Set(trajectories.map(({ reward }) => reward.total)).size).toBeGreaterThan(1);
  }
};

/**
 * Among failures and among successes, longer trajectories never have larger rewards, and some have
 * smaller ones.
 */
export const lengthCosts: Check = (records) => {
  const rewarded = rewardedOf(at(records, -1));
  let cheaper = 0;
  for (const a of rewarded) {
    for (const b of rewarded) {
      if (a.trajectory.verification.reward !== b.trajectory.verification.reward) continue;
      if (sampledTokens(a.trajectory) <= sampledTokens(b.trajectory)) continue;
      expect(a.reward.total).toBeLessThanOrEqual(b.reward.total);
      if (a.reward.total < b.reward.total) cheaper += 1;
    }
  }
  expect(cheaper).toBeGreaterThan(0);
};

/** The stage starts at the easiest difficulty level. */
export function easy(stage: number): Check {
  return (records) => {
    expect(at(records, stage).stage.settings.difficulty).toBe(0);
  };
}

/** Exactly the turns that are wanted have gradients. */
export function learnsTurns(
  stage: number,
  isWanted: (trajectory: JudgedTrajectory, turn: number) => boolean,
): Check {
  return (records) => {
    const { result, minibatch } = numbersOf(at(records, stage));
    let left = 0;
    let learned = 0;
    for (const [b, { trajectory }] of minibatch.trajectories.entries()) {
      for (const [i, { sample, start, end }] of trajectory.turns.entries()) {
        if (sample !== minibatch.samples[b]) continue;
        const row = result.derivatives.logProb?.[b]?.subarray(start, end) ?? [];
        const moves = Array.from(row).some((value) => value !== 0);
        expect(moves).toBe(isWanted(trajectory, i));
        if (moves) learned += 1;
        else left += 1;
      }
    }
    expect(learned).toBeGreaterThan(0);
    expect(left).toBeGreaterThan(0);
  };
}

/** The better of each pair is raised, the worse lowered. */
export function learnsPairs(stage: number): Check {
  return (records) => {
    const { result, minibatch } = numbersOf(at(records, stage));
    const pull = (row: number): number =>
      Array.from(result.derivatives.logProb?.[row] ?? []).reduce((sum, value) => sum + value, 0);
    expect(minibatch.pairs.length).toBeGreaterThan(0);
    for (const [chosen, rejected] of minibatch.pairs) {
      expect(minibatch.trajectories[chosen]?.reward.total).toBeGreaterThan(
        minibatch.trajectories[rejected]?.reward.total ?? Number.NaN,
      );
      expect(pull(chosen)).toBeLessThan(0);
      expect(pull(rejected)).toBeGreaterThan(0);
    }
  };
}

/** Every turn has one advantage, and the turns of some trajectory differ. */
export const creditsTurns: Check = (records) => {
  const record = at(records, -1);
  const { advantages } = numbersOf(record);
  const spreads = rewardedOf(record).map(({ trajectory }) => {
    for (const { sample, start, end } of trajectory.turns) {
      const row = advantages?.get(trajectory.id)?.[sample] ?? [];
      const own = Array.from(row).slice(start, end);
      expect(new Set(own).size).toBe(1);
    }
    const turns = turnAdvantages(record, trajectory);
    return Math.max(...turns) - Math.min(...turns);
  });
  expect(Math.max(...spreads)).toBeGreaterThan(1e-6);
};
