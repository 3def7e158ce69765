/**
 * `band`: draws tasks by pass rate, preferring even odds. Solved and hopeless tasks keep a small chance, so
 * they return if their statistics change.
 *
 * Source: ARPO (GUI replay), Open-AgentRL, SpotAgent (task choice by pass rate); AdA, XLand.
 */
import { type TaskReference, WaggleError } from "@waggle/protocol";
import { definePart, option } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { drawWeighted } from "../draw.ts";
import { observeTask, passRateOf, type TaskStatistics } from "../states/task-statistics.ts";
import { filterPart } from "./filter-part.ts";

/** The preferred range of pass rates. */
export type Band = {
  /** Pass rates in [low, high] are preferred. Defaults 0.2 and 0.8. */
  readonly low?: number;
  readonly high?: number;
  /** Weight of tasks outside the band, in [0, 1]. Default 0.05. */
  readonly outside?: number;
};

/** `[N]` 1 at the middle of the band, falling linearly to half at its edges; `outside` beyond them. */
export function bandWeights(
  passRates: readonly number[],
  { low = 0.2, high = 0.8, outside = 0.05 }: Band = {},
): number[] {
  if (!(0 <= low && low < high && high <= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a band must satisfy 0 <= low < high <= 1, got [${low}, ${high}]`,
    );
  }
  const middle = (low + high) / 2;
  return passRates.map((rate) =>
    rate < low || rate > high ? outside : 1 - Math.abs(rate - middle) / (high - low),
  );
}

/** `count` distinct task indexes drawn by these weights. */
export function tasksInBand(
  passRates: readonly number[],
  count: number,
  random: () => number,
  band: Band = {},
): number[] {
  return drawWeighted(bandWeights(passRates, band), count, random);
}

/**
 * `band`: rolls out tasks by pass rate and updates their statistics.
 *
 * @param keyOf - key of tasks that share statistics; by default each has its own.
 */
export function passRateBand(
  band: Band = {},
  keyOf: (task: TaskReference) => string = (task) => JSON.stringify(task),
): FilterPart<"task-stats"> {
  return definePart(
    {
      bandLow: option(band.low, 0.2),
      bandHigh: option(band.high, 0.8),
      bandOutside: option(band.outside, 0.05),
    },
    (given) =>
      bandFilter({ low: given.bandLow, high: given.bandHigh, outside: given.bandOutside }, keyOf),
  );
}

function bandFilter(band: Band, keyOf: (task: TaskReference) => string): FilterPart<"task-stats"> {
  return filterPart(
    "band",
    (groups, { state, step }) => {
      const observed = groups.reduce((statistics, { trajectories }) => {
        const task = trajectories[0]?.trajectory.record.task ?? null;
        if (task === null) return statistics;
        const rewards = trajectories.map(({ reward }) => Math.min(1, Math.max(0, reward.total)));
        return observeTask(statistics, keyOf(task), rewards, step);
      }, state["task-stats"] as TaskStatistics);
      return { groups, dropped: new Map(), state: { "task-stats": observed } };
    },
    {
      needs: ["task-stats"],
      chooseTasks: (candidates, count, { state, step, random }) => {
        const statistics = state["task-stats"] as TaskStatistics;
        const rates = candidates.map((task) => passRateOf(statistics, keyOf(task), step).mean);
        return tasksInBand(rates, count, random, band).map((i) => candidates[i] as TaskReference);
      },
    },
  );
}
