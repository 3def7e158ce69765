/** Parts, options and result of a recipe run. Types only. */
import type { ActingPolicy } from "@waggle/agent/environments";
import { type SuccessByTemperature } from "@waggle/evaluation";
import type { EnvironmentSpec } from "@waggle/environments";
import type { PartPorts, StateValues } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import type { EnvironmentSimulator } from "../rollouts/fitted-environment.ts";
import type { OnFitStep } from "../rollouts/world-model.ts";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { OverlapOptions } from "./overlapped-stage.ts";
import type { RunKeeper } from "./run-keeping.ts";
import type { Budget } from "./run-spending.ts";
import type { Spent } from "../metrics/spent.ts";
import type { StageResources } from "../update/stage-update.ts";

/** The engine, policy, environment and services that a run uses. */
export type RunParts = {
  readonly engine: TrainEngine;
  readonly policy: ActingPolicy &
    Pick<AdaptivePolicy, "setAdapter"> &
    Partial<Pick<AdaptivePolicy, "loadAdapter" | "unloadAdapter">>;
  readonly format: ChatFormat;
  readonly spec: EnvironmentSpec;
  readonly adapterShape: { readonly rank: number; readonly alpha: number };
  readonly resources: StageResources;
  /** The engine's initial parameters; absent = a fresh adapter. */
  readonly start?: TensorMap | undefined;
  /** Access to outside services, for rewards that need one. */
  readonly ports?: PartPorts;
  /** Simulates the environment, for recipes with a world model. */
  readonly simulator?: EnvironmentSimulator | undefined;
};

export type RunOptions = {
  readonly seed: number;
  /** Number of held-out tasks per evaluation. */
  readonly evaluationTasks: number;
  /** Seed that selects held-out tasks and their random draws; default 0. */
  readonly evaluationSeed?: number | undefined;
  /** The base's results on these tasks, if known. */
  readonly base?: HeldOut | undefined;
  /** No step begins once this much is spent; absent = all steps. */
  readonly budget?: Budget | undefined;
  /**
   * Share of each stage in a round's budget, adding up to 1; absent = a stage may use all that is left.
   */
  readonly shares?: readonly number[] | undefined;
  /** Additional temperatures at which the final policy is evaluated; 0 is greedy. Default none. */
  readonly temperatures?: readonly number[] | undefined;
  /** Rollouts of each held-out task at temperature 1, for pass@k of the final policy; default none. */
  readonly passDraws?: number | undefined;
  /** Steps between evaluations; 0 = only before and after. */
  readonly evaluateEvery: number;
  /** Overrides the stages' number of steps, for budgets and tests. */
  readonly steps?: number | undefined;
  /**
   * Continue rollouts during steps, in stages whose trajectories the policy samples; default off.
   */
  readonly overlap?: OverlapOptions | undefined;
  /** Receives the steps of fitting a world model, which a resumed run takes again; default: nothing. */
  readonly onFitStep?: OnFitStep | undefined;
  /** Saves the run so that another process can resume it; default none. */
  readonly keeper?: RunKeeper | undefined;
};

/** Results before and after a run, and what it spent. */
export type RunResult = {
  readonly base: HeldOut;
  readonly final: HeldOut;
  /**
   * `[tasks]` successes of the final policy by temperature; empty if a recipe learns at test time.
   */
  readonly byTemperature: SuccessByTemperature;
  /** pass@k of the final policy; `null` if it was not asked for, or if a recipe learns at test time. */
  readonly passAtK: number | null;
  readonly spent: Spent;
  /** Learned state as plain values; texts and cases can be exported as an artifact. */
  readonly state: StateValues;
};
