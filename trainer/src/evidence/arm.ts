/**
 * One run of an experiment: a recipe with its settings in an environment, with a seed and a token budget.
 * Defines the identity of a run and the record that is stored of it. Runs nothing.
 */
import { createHash } from "node:crypto";
import type { Settings } from "@waggle/learning";
import type { SuccessByTemperature } from "../evaluation/temperature.ts";

/** Most that may be spent; no step begins when as much is spent. */
export type Budget = { readonly sampledTokens: number; readonly toolCalls: number };

export type Arm = {
  readonly recipe: string;
  /** Instead of the recipe's own. */
  readonly settings: Settings;
  readonly environment: string;
  /** Of tasks, sampling, the adapter and of which held-out tasks are asked. */
  readonly seed: number;
  readonly budget: Budget;
  readonly evaluationTasks: number;
};

/** A policy on the held-out tasks of a seed. */
export type Outcome = {
  /** `[tasks]`, in the order of the seed's held-out tasks. */
  readonly successes: readonly boolean[];
  readonly toolCallsMean: number;
  readonly sampledTokensMean: number;
};

export type CurvePoint = {
  readonly sampledTokens: number;
  readonly toolCalls: number;
  /** Share of held-out tasks solved. */
  readonly success: number;
};

type Spent = Budget & {
  /** Trajectories; the stored name is of the first runs. */
  readonly episodes: number;
  /** Turns of rollouts; absent in records that did not count them. */
  readonly turns?: number;
  readonly seconds: number;
  /** Of this process, in all its threads. */
  readonly cpuSeconds: number;
};

/** A run that ended. */
export type RunRecord = Arm & {
  readonly key: string;
  /** Hex sha256 of the base model's files. */
  readonly baseModel: string;
  /** Day and time of its end, ISO 8601. */
  readonly endedAt: string;
  /** The base on the same tasks with the same draws: the control without learning. */
  readonly base: Outcome;
  readonly final: Outcome;
  /** The final policy by temperature; absent in runs of before it was measured. */
  readonly byTemperature?: SuccessByTemperature;
  /** Hex sha256 of the trained parameters; absent in runs of before it was kept. */
  readonly parameters?: string;
  /** From the base on; one point an evaluation. */
  readonly curve: readonly CurvePoint[];
  readonly spent: Spent;
};

/** A run that could not end: kept so that a report can say so. */
export type FailedRun = Arm & { readonly key: string; readonly error: string };

/** Equal for equal runs. */
export function armKey({ recipe, environment, seed, ...others }: Arm): string {
  const { settings, budget, evaluationTasks } = others;
  const rest = JSON.stringify([
    Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    budget.sampledTokens,
    budget.toolCalls,
    evaluationTasks,
  ]);
  const hash = createHash("sha256").update(rest).digest("hex").slice(0, 8);
  return `${recipe}/${environment}/${seed}/${hash}`;
}

export function successOf({ successes }: Outcome): number {
  return successes.filter(Boolean).length / Math.max(1, successes.length);
}
