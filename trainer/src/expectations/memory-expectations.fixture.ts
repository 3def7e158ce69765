/**
 * Expectations of recipes with a memory: stored successes, leftover trajectories, rehearsal, task
 * statistics.
 */
import { sampledTokens, toolCalls } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  behaviorsShown,
  type Check,
  trajectoriesOf,
  type Expectation,
  samplesStale,
  mean,
  numbersOf,
  remembersTasks,
  schedules,
  rewardedOf,
  single,
  startsFromDemonstrations,
} from "./recipe-checks.fixture.ts";
import type { StageRecord } from "./recipe-update.fixture.ts";

/** Learned trajectories that were not rolled out in this update. */
function remembered(record: StageRecord): ReturnType<typeof rewardedOf> {
  const fresh = new Set(trajectoriesOf(record).map(({ id }) => id));
  const learned = record.update.numbers?.groups.flatMap(({ trajectories }) => trajectories) ?? [];
  return learned.filter(({ trajectory }) => !fresh.has(trajectory.id));
}

/** A group of failures learns from a stored success of its task. */
const injectsSuccess: Check = (records) => {
  let injected = 0;
  for (const record of [...at(records, -1).earlier, at(records, -1)]) {
    const stored = new Set(remembered(record).map(({ trajectory }) => trajectory.id));
    for (const { task, trajectories } of record.update.numbers?.groups ?? []) {
      const win = trajectories.find(({ trajectory }) => stored.has(trajectory.id));
      if (win === undefined) continue;
      const own = record.groups
        .filter((group) => group.task === task)
        .flatMap((g) => g.trajectories);
      expect(own.length).toBeGreaterThan(0);
      expect(own.some(({ verification }) => verification.success)).toBe(false);
      expect(win.trajectory.verification.success).toBe(true);
      expect(JSON.stringify(win.trajectory.record.task)).toBe(JSON.stringify(own[0]?.record.task));
      injected += 1;
    }
  }
  expect(injected).toBeGreaterThan(0);
};

/** Old trajectories are learned in addition to the step's own. */
const learnsOld: Check = (records) => {
  expect(remembered(at(records, -1)).length).toBeGreaterThan(0);
};

export const MEMORY_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "arpo-gui": {
    settings: { groupSize: 2 },
    updates: 8,
    differs: [injectsSuccess, remembersTasks],
  },
  dart: {
    settings: { groupSize: 3 },
    updates: 6,
    differs: [
      samplesStale,
      remembersTasks,
      (records) => {
        // Longer trajectories have larger weights, and the turns with the lowest entropy are left
        // out.
        const rewarded = rewardedOf(at(records, -1));
        const weightOf = (entry: (typeof rewarded)[number]): number =>
          entry.tokenWeights.flatMap((row) => Array.from(row))[0] ?? Number.NaN;
        const turns = rewarded.map(({ trajectory }) => trajectory.turns.length);
        const [most, fewest] = [Math.max(...turns), Math.min(...turns)];
        const [long, short] = [most, fewest].map((count) =>
          mean(
            rewarded.filter(({ trajectory }) => trajectory.turns.length === count).map(weightOf),
          ),
        );
        expect(long).toBeGreaterThan(short ?? Number.NaN);
      },
      (records) => {
        const rewarded = rewardedOf(at(records, -1));
        const [learned, sampled] = [
          rewarded.flatMap(({ lossMask }) => lossMask.flat()),
          rewarded.flatMap(({ trajectory }) =>
            trajectory.samples.flatMap(({ lossMask }) => lossMask),
          ),
        ].map((masks) => masks.filter(Boolean).length);
        expect(learned).toBeLessThan(sampled ?? Number.NaN);
      },
    ],
  },
  "ro-recomp": {
    settings: { later: 1 },
    updates: 2,
    differs: [
      learnsOld,
      (records) => {
        // Short successes and long failures have priority and were learned earlier, so the stored
        // successes learned now are longer than the others.
        const kept = remembered(at(records, -1));
        const successes = kept.filter(({ trajectory }) => trajectory.verification.success);
        const lengths = [true, false].map((isLearned) =>
          successes
            .filter(({ lossMask }) => lossMask.flat().some(Boolean) === isLearned)
            .map(({ trajectory }) => toolCalls(trajectory) + sampledTokens(trajectory) / 1000),
        );
        expect(mean(lengths[0] ?? [])).toBeGreaterThan(mean(lengths[1] ?? []));
      },
    ],
  },
  "rl-retention": {
    updates: 3,
    differs: [
      single,
      learnsOld,
      (records) => {
        // The policy has changed, so the loss includes the KL penalty to the reference.
        const { result, minibatch } = numbersOf(at(records, -1));
        expect(at(records, -1).stage.kl?.in).toBe("loss");
        const still = minibatch.advantages.flatMap((row, b) =>
          Array.from(row).flatMap((advantage, t) =>
            minibatch.lossMask[b]?.[t] === true && advantage === 0
              ? [result.derivatives.logProb?.[b]?.[t] ?? 0]
              : [],
          ),
        );
        const all = result.derivatives.logProb?.flatMap((row) => Array.from(row)) ?? [];
        expect(still.every((value) => value !== 0)).toBe(true);
        expect(all.some((value) => value !== 0)).toBe(true);
      },
    ],
  },
  "behavior-priming": {
    differs: [
      startsFromDemonstrations,
      (records) => {
        const record = at(records, 0);
        const kept = rewardedOf(record).map(({ trajectory }) => trajectory);
        expect(kept.length).toBeLessThan(trajectoriesOf(record).length);
        expect(kept.every((trajectory) => behaviorsShown(trajectory) >= 3)).toBe(true);
        expect(
          trajectoriesOf(record).filter((trajectory) => behaviorsShown(trajectory) >= 3),
        ).toHaveLength(kept.length);
      },
    ],
  },
  mpts: {
    updates: 3,
    differs: [
      single,
      (records) => {
        const { state, stage } = at(records, -1);
        const model = state["task-stats"] as { shift: number[] };
        expect(model.shift.some((value) => value !== 0)).toBe(true);
        // A class that always failed is not chosen while others are closer to the target.
        const hopeless = { ...model, shift: model.shift.map((v, i) => (i === 1 ? 1e4 : v)) };
        const candidates = Array.from({ length: 24 }, (_, seed) => ({
          environment: "calculator",
          split: "train" as const,
          seed,
        }));
        const chosen = stage.filters[0]?.chooseTasks?.(candidates, 12, {
          step: 0,
          steps: 1,
          random: () => 0.5,
          state: { "task-stats": hopeless },
          ports: {},
          signal: new AbortController().signal,
        });
        expect(chosen).toHaveLength(12);
        expect(chosen?.some(({ seed }) => seed % 12 === 0)).toBe(false);
      },
    ],
  },
  spear: {
    updates: 3,
    differs: [
      learnsOld,
      schedules(-1, ({ rewardWeights }) => rewardWeights?.["imitation"]),
      (records) => {
        // Stored successes are never pushed down, and at the end they weigh as much as the rest.
        const record = at(records, -1);
        const wins = remembered(record);
        expect(wins.length).toBeGreaterThan(0);
        for (const { trajectory, tokenWeights } of wins) {
          const rows = numbersOf(record).advantages?.get(trajectory.id) ?? [];
          expect(rows.every((row) => Array.from(row).every((value) => value >= 0))).toBe(true);
          expect(new Set(tokenWeights.flatMap((row) => Array.from(row)))).toEqual(new Set([1]));
        }
      },
    ],
  },
};
