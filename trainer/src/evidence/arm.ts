/**
 * One run of an experiment: a recipe with its settings in an environment, with a seed and a token
 * budget. Defines the identity of a run and its stored record. Runs nothing.
 */
import { type SuccessByTemperature, shareSolved } from "@waggle/evaluation";
import { createHash } from "node:crypto";
import type { Settings } from "@waggle/learning";

/** Maximum cost; no step starts once the budget is spent. */
export type Budget = { readonly sampledTokens: number; readonly toolCalls: number };

/** The definition of one run. */
export type Arm = {
  readonly recipe: string;
  /** Replaces the recipe's own settings. */
  readonly settings: Settings;
  readonly environment: string;
  /** Seed of tasks, sampling, adapter and held-out tasks. */
  readonly seed: number;
  readonly budget: Budget;
  readonly evaluationTasks: number;
};

/** Results of a policy on the held-out tasks of a seed. */
export type Outcome = {
  /** `[tasks]`, in the order of the seed's held-out tasks. */
  readonly successes: readonly boolean[];
  readonly toolCallsMean: number;
  readonly sampledTokensMean: number;
};

/** One evaluation during a run. */
export type CurvePoint = {
  readonly sampledTokens: number;
  readonly toolCalls: number;
  /** Share of held-out tasks solved. */
  readonly success: number;
};

type Spent = Budget & {
  /** Number of trajectories; the stored name is from the first runs. */
  readonly episodes: number;
  /** Number of rollout turns. */
  readonly turns: number;
  readonly seconds: number;
  /** CPU time of this process over all threads. */
  readonly cpuSeconds: number;
};

/** A finished run. */
export type RunRecord = Arm & {
  readonly key: string;
  /** Hex sha256 of the base model's files. */
  readonly baseModel: string;
  /** Date and time of the end, ISO 8601. */
  readonly endedAt: string;
  /** The base on the same tasks with the same draws: the control without learning. */
  readonly base: Outcome;
  readonly final: Outcome;
  /** The final policy by temperature; absent for a recipe that learns at test time. */
  readonly byTemperature?: SuccessByTemperature;
  /** pass@8 of the final policy; measured for runs that a claim compares. */
  readonly passAt8?: number;
  /** Hex sha256 of the trained parameters. */
  readonly parameters: string;
  /** Mean share of tokens that a loss clipped, over steps; absent if no loss of the recipe clips. */
  readonly clipFraction?: number;
  /**
   * Mean share of tokens whose importance weight was cut at its cap, over steps; absent if the recipe does not
   * correct stale samples with such weights.
   */
  readonly truncatedFraction?: number;
  /** Starts with the base; one point at the end of each stage of each round. */
  readonly curve: readonly CurvePoint[];
  readonly spent: Spent;
};

/** A run that failed: kept so that a report can list it. */
export type FailedRun = Arm & { readonly key: string; readonly error: string };

/** The identity of a run: equal runs have equal keys. */
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

/** Share of held-out tasks solved. */
export function successOf({ successes }: Outcome): number {
  return shareSolved(successes);
}
