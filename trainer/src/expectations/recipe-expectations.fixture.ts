/**
 * How each recipe of the policy-gradient table differs from plain GRPO, and in which environment
 * that shows. A check must pass for its recipe and fail for plain GRPO.
 */
import { expect } from "vitest";
import {
  advantagesOf,
  at,
  callsCost,
  errorRate,
  trajectoriesOf,
  fitsCritic,
  samplesStale,
  mean,
  numbersOf,
  schedules,
  rewardedOf,
  single,
  startsFromDemonstrations,
  turnAdvantages,
  type Expectation,
} from "./recipe-checks.fixture.ts";
import { COMPOSED_EXPECTATIONS } from "./composed-expectations.fixture.ts";
import { DIVIDED_WORK_EXPECTATIONS } from "./divided-work-expectations.fixture.ts";
import { LOOP_EXPECTATIONS } from "./loop-expectations.fixture.ts";
import { MEMORY_EXPECTATIONS } from "./memory-expectations.fixture.ts";
import { ROLE_EXPECTATIONS } from "./role-expectations.fixture.ts";
import { SEARCH_EXPECTATIONS } from "./search-expectations.fixture.ts";
import { SEVERAL_MODEL_EXPECTATIONS } from "./several-model-expectations.fixture.ts";
import { CO_EVOLVED_EXPECTATIONS } from "./text-expectations.fixture.ts";
import { TURN_EXPECTATIONS } from "./turn-expectations.fixture.ts";
import { ENVIRONMENT_EXPECTATIONS } from "./environment-expectations.fixture.ts";
import { TEACHER_EXPECTATIONS } from "./teacher-expectations.fixture.ts";

export const EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  ...COMPOSED_EXPECTATIONS,
  ...DIVIDED_WORK_EXPECTATIONS,
  ...LOOP_EXPECTATIONS,
  ...MEMORY_EXPECTATIONS,
  ...TEACHER_EXPECTATIONS,
  ...TURN_EXPECTATIONS,
  ...ENVIRONMENT_EXPECTATIONS,
  ...SEVERAL_MODEL_EXPECTATIONS,
  ...SEARCH_EXPECTATIONS,
  ...ROLE_EXPECTATIONS,
  ...CO_EVOLVED_EXPECTATIONS,
  a2fm: {
    differs: [
      startsFromDemonstrations,
      callsCost,
      (records) => {
        const { strategy, groups } = at(records, -1);
        expect(strategy.name).toBe("group");
        const modes = (strategy.options?.["modes"] ?? []) as readonly string[];
        expect(modes.length).toBeGreaterThan(1);
        const [group] = groups;
        const starts = group?.trajectories.map(({ record: trajectory }) =>
          trajectory.segments[0]?.tokenIds.join(" "),
        );
        expect(new Set(starts).size).toBe(modes.length);
      },
    ],
  },
  aepo: {
    env: "key-door",
    differs: [
      (records) => {
        // Tokens of one trajectory have different weights, by the sampler's certainty.
        const { advantages, lossMask } = numbersOf(at(records, -1)).minibatch;
        const spread = advantages.map((row, b) => {
          const own = Array.from(row).filter((_, t) => lossMask[b]?.[t] === true);
          return Math.max(...own) - Math.min(...own);
        });
        expect(Math.max(...spread)).toBeGreaterThan(1e-3);
        expect(trajectoriesOf(at(records, -1)).some(({ branch }) => branch !== null)).toBe(true);
      },
    ],
  },
  arpo: {
    env: "key-door",
    differs: [
      (records) => {
        const record = at(records, -1);
        let shared = 0;
        for (const { trajectories } of numbersOf(record).groups) {
          for (const { trajectory: root } of trajectories) {
            const branches = trajectories.filter(
              ({ trajectory }) => trajectory.branch?.trajectory === root.id,
            );
            const [first] = branches.toSorted(
              (a, b) => (a.trajectory.branch?.turn ?? 0) - (b.trajectory.branch?.turn ?? 0),
            );
            const turn = first?.trajectory.branch?.turn ?? 0;
            if (first === undefined || turn < 1) continue;
            // The shared start has the mean advantage of its continuations; each end has its own.
            const last = [root, ...branches.map(({ trajectory }) => trajectory)].map(
              (trajectory) => turnAdvantages(record, trajectory).at(-1) ?? 0,
            );
            expect(turnAdvantages(record, root)[0]).toBeCloseTo(mean(last), 9);
            shared += 1;
          }
        }
        expect(shared).toBeGreaterThan(0);
        // Complete trajectories and branches together fill the group.
        expect(record.groups.every(({ trajectories }) => trajectories.length === 8)).toBe(true);
      },
    ],
  },
  artist: { differs: null },
  "bn-gspo": {
    differs: [
      (records) => {
        const advantages = advantagesOf(at(records, -1));
        expect(mean(advantages)).toBeCloseTo(0, 9);
        expect(mean(advantages.map((value) => value ** 2))).toBeCloseTo(1, 4);
      },
    ],
  },
  "greedy-agents": {
    differs: [
      single,
      (records) => {
        const baseline = at(records, -1).state.baseline as { values: { [key: string]: number } };
        expect(Object.keys(baseline.values).length).toBeGreaterThan(0);
      },
    ],
  },
  "grpo-roc": {
    differs: [
      startsFromDemonstrations,
      (records) => {
        const record = at(records, -1);
        const kept = new Set(rewardedOf(record).map(({ trajectory }) => trajectory.id));
        const groups = record.groups.filter(({ trajectories }) =>
          trajectories.some(({ id }) => kept.has(id)),
        );
        const successes = groups
          .flatMap(({ trajectories }) => trajectories)
          .filter(({ verification }) => verification.success);
        const [inside, outside] = [true, false].map((isKept) =>
          successes.filter(({ id }) => kept.has(id) === isKept),
        );
        expect(outside?.length).toBeGreaterThan(0);
        expect(errorRate(inside ?? [])).toBeLessThan(errorRate(outside ?? []));
      },
    ],
  },
  "pivot-rl": {
    differs: [
      (records) => {
        const record = at(records, -1);
        for (const { trajectories } of numbersOf(record).groups) {
          // Each action is one turn at the same stored state, and the actions differ.
          expect(new Set(trajectories.map(({ trajectory }) => trajectory.branch?.turn)).size).toBe(
            1,
          );
          expect(
            trajectories.every(({ trajectory }) => trajectory.branch?.original !== undefined),
          ).toBe(true);
          expect(new Set(trajectories.map(({ reward }) => reward.total)).size).toBeGreaterThan(1);
          // Only the action is learned, not the turns before it.
          const trained = trajectories.map(
            ({ lossMask }) => lossMask.flat().filter(Boolean).length,
          );
          const actions = trajectories.map(({ trajectory: { turns } }) => {
            const last = turns.at(-1);
            return last === undefined ? 0 : last.end - last.start;
          });
          expect(trained).toEqual(actions);
        }
      },
    ],
  },
  polar: { differs: [samplesStale] },
  rl4vlm: { differs: [single, fitsCritic] },
  "scaling-inter-rl": {
    env: "key-door",
    settings: { firstTurns: 5, lastTurns: 12 },
    differs: [
      schedules(-1, ({ maxTurns }) => maxTurns),
      (records) => {
        const turns = trajectoriesOf(at(records, -1)).map(
          ({ record: trajectory }) => trajectory.turns.length,
        );
        expect(Math.max(...turns)).toBe(5);
      },
    ],
  },
};
