/** What papers say is different, as checks on the numbers of an update. Each throws where it does not hold. */
import { type Episode, settingsAt, toolCalls, toolErrors } from "@waggle/learning";
import { expect } from "vitest";
import type { StageRecord } from "./recipe-update.fixture.ts";
import type { UpdateNumbers } from "./stage-update.ts";

export type Check = (records: readonly StageRecord[]) => void;

export function at(records: readonly StageRecord[], stage: number): StageRecord {
  const record = records.at(stage);
  if (record === undefined) throw new Error(`no stage ${stage}`);
  return record;
}

export function numbersOf({ update }: StageRecord): UpdateNumbers {
  if (update.numbers === null) throw new Error("nothing was learned");
  return update.numbers;
}

export function scoredOf(record: StageRecord): UpdateNumbers["groups"][number]["episodes"] {
  return numbersOf(record).groups.flatMap(({ episodes }) => episodes);
}

export function episodesOf({ groups }: StageRecord): Episode[] {
  return groups.flatMap(({ episodes }) => episodes);
}

/** Advantages of all tokens that count. */
export function advantagesOf(record: StageRecord): number[] {
  const { advantages, lossMask } = numbersOf(record).minibatch;
  return advantages.flatMap((row, b) =>
    Array.from(row).filter((_, t) => lossMask[b]?.[t] === true),
  );
}

/** `[turns]` the advantage at the first token of each turn. */
export function turnAdvantages(record: StageRecord, { id, turns }: Episode): number[] {
  const rows = numbersOf(record).advantages?.get(id) ?? [];
  return turns.map(({ sample, start }) => rows[sample]?.[start] ?? Number.NaN);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function isDemonstration({ trajectory }: Episode): boolean {
  return trajectory.client.device === "none";
}

/** Demonstrations by cross-entropy first, episodes of the policy by reward last. */
export const startsFromDemonstrations: Check = (records) => {
  const [first, last] = [at(records, 0), at(records, -1)];
  expect(records.length).toBeGreaterThan(1);
  expect(first.stage.learns).toBe("tokens");
  expect(episodesOf(first).every(isDemonstration)).toBe(true);
  expect(numbersOf(first).result.loss).toBeGreaterThan(0);
  expect(last.stage.learns).toBe("rewards");
  expect(episodesOf(last).some(isDemonstration)).toBe(false);
};

/** A stage learns from some of its episodes only, those for which `isWanted` holds. */
export function keeps(stage: number, isWanted: (episode: Episode) => boolean): Check {
  return (records) => {
    const record = at(records, stage);
    const kept = scoredOf(record).map(({ episode }) => episode);
    expect(kept.length).toBeLessThan(episodesOf(record).length);
    expect(kept.every(isWanted)).toBe(true);
    expect(episodesOf(record).every(isWanted)).toBe(false);
  };
}

export const keepsSuccesses: Check = keeps(0, ({ verification }) => verification.success);

/** Of two episodes with one outcome, that with more calls is paid less. */
export const callsCost: Check = (records) => {
  const scored = scoredOf(at(records, -1));
  let compared = 0;
  for (const a of scored) {
    for (const b of scored) {
      const sameOutcome = a.episode.verification.reward === b.episode.verification.reward;
      if (!sameOutcome || toolCalls(a.episode) <= toolCalls(b.episode)) continue;
      expect(a.score.reward).toBeLessThan(b.score.reward);
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(0);
};

/** Successes that called are paid more than 1, failures never more than the outcome. */
export const bonusOnlyOnSuccess: Check = (records) => {
  const scored = scoredOf(at(records, -1));
  const bonuses = scored.map(({ episode, score }) => ({
    success: episode.verification.success,
    bonus: (score.components?.["bonus"] ?? 0) > 0,
    more: score.reward - (score.components?.["economy"] ?? episode.verification.reward),
  }));
  expect(bonuses.some(({ success, bonus, more }) => success && bonus && more > 0)).toBe(true);
  expect(bonuses.some(({ success, bonus }) => !success && bonus)).toBe(true);
  expect(bonuses.every(({ success, more }) => success || more <= 1e-12)).toBe(true);
};

/** Turns are paid before the end, and the score carries what each was paid. */
export const paysTurns: Check = (records) => {
  const paid = scoredOf(at(records, -1)).filter(({ score }) =>
    (score.turnRewards ?? []).slice(0, -1).some((reward) => reward !== 0),
  );
  expect(paid.length).toBeGreaterThan(0);
};

/** The policy that sampled was older than the one that learned, and weights say so. */
export const lags: Check = (records) => {
  const record = at(records, -1);
  const { lag } = record.stage.settings;
  expect(lag).toBeGreaterThan(0);
  expect(episodesOf(record).every(({ staleness }) => staleness === lag)).toBe(true);
};

/** One episode of each task: nothing that a group statistic could serve. */
export const single: Check = (records) => {
  const { groups } = at(records, -1);
  expect(groups.every(({ episodes }) => episodes.length === 1)).toBe(true);
};

/** A value head is fitted: derivatives reach it, and returns differ from advantages. */
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
    const { stage: made } = at(records, stage);
    const context = {
      ...{ steps: made.steps, random: () => 0.5, state: {}, ports: {} },
      signal: new AbortController().signal,
    };
    const first = of(settingsAt(made, { ...context, step: 0 }));
    const last = of(settingsAt(made, { ...context, step: made.steps - 1 }));
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

/** Mean error rate of some episodes. */
export function errorRate(episodes: readonly Episode[]): number {
  return mean(episodes.map((episode) => toolErrors(episode) / Math.max(1, toolCalls(episode))));
}
