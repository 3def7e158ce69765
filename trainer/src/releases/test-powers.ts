/** Measures sequential tests on the same simulated releases: the chosen one and those that were not chosen. */
import {
  armDifference,
  comparedBoundaries,
  fallTest,
  type OutcomeBlock,
  type ReleasePlan,
  twoByTwoAlarm,
} from "@waggle/evaluation";
import { derivedSeed } from "@waggle/protocol";
import type { NamedPopulation } from "./populations.ts";
import { type Rule, simulateRelease, SOLVED } from "./simulated-release.ts";

/** Alarms of one test. */
export type TestPower = {
  readonly test: string;
  readonly population: string;
  readonly base: number;
  readonly harm: number;
  /** Releases of a worse candidate, and those with an alarm within the exposure of the plan. */
  readonly worse: number;
  readonly inTime: number;
  /** Releases of an equal candidate, and those with an alarm at any time. */
  readonly equal: number;
  readonly falseAlarms: number;
};

/** Grows the share by the plan's exposures, whatever the counts say. */
function onlySchedule({ stages, horizon }: ReleasePlan): Rule {
  return (counts) => {
    const index = counts.stages.length - 1;
    const next = stages[index + 1];
    const needed = (stages[index]?.exposure ?? 0) * horizon;
    return next !== undefined && (counts.stages[index]?.exposure ?? 0) >= needed
      ? { action: "set share", share: next.share, reason: "the stage is over" }
      : { action: "go on", reason: "the stage is not over" };
  };
}

const BASE = 0.5;
/** Of a success or failure at the base rate: √(0.5 · 0.5). */
const DEVIATION = 0.5;

/** The exposure at each test's first alarm; `Infinity` without one. */
function alarms(
  population: NamedPopulation,
  plan: ReleasePlan,
  { effect, harm, limit, seed }: { effect: number; harm: number; limit: number; seed: number },
): Map<string, number> {
  const boundaries = Object.entries(comparedBoundaries(plan, harm / DEVIATION));
  const first = new Map<string, number>();
  const schedule = onlySchedule(plan);
  const blocks: (OutcomeBlock & { readonly exposure: number })[] = [];
  let stable = { successes: 0, values: 0 };
  simulateRelease(
    { ...population, base: BASE, effect },
    {
      seed,
      requests: plan.horizon,
      firstShare: plan.stages[0]?.share ?? 0,
      rule: (counts, exposure) => {
        if (exposure > limit) return { action: "roll back", metric: SOLVED, reason: "the limit" };
        const result = armDifference(counts.stages.flatMap(({ metrics }) => metrics[SOLVED] ?? []));
        if (result === null || result.visitors < plan.minVisitors)
          return schedule(counts, exposure);
        for (const [name, boundary] of boundaries) {
          const isWorse = result.difference < -boundary(result.size) * result.error;
          if (isWorse && !first.has(name)) first.set(name, exposure);
        }
        return schedule(counts, exposure);
      },
      onFirstOutcome(arm, isSuccess, exposure) {
        if (arm === "stable") {
          stable = { successes: stable.successes + (isSuccess ? 1 : 0), values: stable.values + 1 };
        } else if (stable.values > 0) {
          const [stableSuccesses, stableValues] = [stable.successes, stable.values];
          blocks.push({ isSuccess, stableSuccesses, stableValues, exposure });
          stable = { successes: 0, values: 0 };
        }
      },
    },
  );
  const exact = { falseAlarm: plan.falseRollback, effect: harm };
  first.set("2×2 e-process, first requests only", exposureAt(blocks, twoByTwoAlarm(blocks, exact)));
  const before = blocks.map(({ stableSuccesses, stableValues }) => stableSuccesses / stableValues);
  const now = blocks.map(({ isSuccess }) => (isSuccess ? 1 : 0));
  const bet = fallTest(before, now, { tolerance: 0, falseAlarm: plan.falseRollback });
  first.set(
    "betting on pairs, first requests only",
    exposureAt(blocks, bet.hasFallen ? bet.pairs - 1 : null),
  );
  return first;
}

function exposureAt(blocks: readonly { exposure: number }[], index: number | null): number {
  return index === null ? Infinity : (blocks[index]?.exposure ?? Infinity);
}

/** Every test on releases of a worse and of an equal candidate. */
export function testPowers(
  population: NamedPopulation,
  plan: ReleasePlan,
  {
    harm,
    releases,
    seed,
  }: { readonly harm: number; readonly releases: number; readonly seed: number },
): TestPower[] {
  const inTime = plan.exposure * plan.horizon;
  const worse = Array.from({ length: releases }, (_, i) =>
    alarms(population, plan, { effect: -harm, harm, limit: inTime, seed: derivedSeed(seed, 1, i) }),
  );
  const equal = Array.from({ length: 5 * releases }, (_, i) =>
    alarms(population, plan, { effect: 0, harm, limit: Infinity, seed: derivedSeed(seed, 0, i) }),
  );
  const names = [
    ...Object.keys(comparedBoundaries(plan, harm / DEVIATION)),
    "2×2 e-process, first requests only",
    "betting on pairs, first requests only",
  ];
  return names.map((test) => ({
    test,
    population: population.name,
    base: BASE,
    harm,
    worse: worse.length,
    inTime: worse.filter((first) => (first.get(test) ?? Infinity) <= inTime).length,
    equal: equal.length,
    falseAlarms: equal.filter((first) => (first.get(test) ?? Infinity) < Infinity).length,
  }));
}
