/** What a run of a recipe is made of, what may be asked of it, and what it says. */
import type { EnvironmentSpec } from "@waggle/environments";
import type { PartPorts, StateValues } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import type { ChatFormat } from "@waggle/text";
import type { ActingPolicy } from "../rollouts/environment-rollout.ts";
import type { EnvironmentSimulator } from "../rollouts/fitted-environment.ts";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { OverlapOptions } from "./overlapped-stage.ts";
import type { RunKeeper } from "../checkpoint/run-keeping.ts";
import type { Budget, Spent } from "./run-spending.ts";
import type { SuccessByTemperature } from "../evaluation/temperature.ts";
import type { StageResources } from "../update/stage-update.ts";

export type RunParts = {
  readonly engine: TrainEngine;
  readonly policy: ActingPolicy &
    Pick<AdaptivePolicy, "setAdapter"> &
    Partial<Pick<AdaptivePolicy, "loadAdapter" | "unloadAdapter">>;
  readonly format: ChatFormat;
  readonly spec: EnvironmentSpec;
  readonly adapterShape: { readonly rank: number; readonly alpha: number };
  readonly resources: StageResources;
  /** What the engine begins with, where that is no fresh adapter. */
  readonly start?: TensorMap | undefined;
  /** For rewards that ask somebody else. */
  readonly ports?: PartPorts;
  /** For recipes with a world model. */
  readonly simulator?: EnvironmentSimulator | undefined;
};

export type RunOptions = {
  readonly seed: number;
  /** Held-out tasks of an evaluation. */
  readonly evaluationTasks: number;
  /** Which held-out tasks, and with which draws; default 0. */
  readonly evaluationSeed?: number | undefined;
  /** What the base does on these tasks, where it is known. */
  readonly base?: HeldOut | undefined;
  /** No step begins when as much is spent; absent = all steps. */
  readonly budget?: Budget | undefined;
  /** Share of the budget that each stage has in a round, adding up to 1; absent = whatever is left. */
  readonly shares?: readonly number[] | undefined;
  /** Temperatures at which the final policy is tried as well; 0 is greedy. Default none. */
  readonly temperatures?: readonly number[] | undefined;
  /** Steps between evaluations; 0 = before and after only. */
  readonly evaluateEvery: number;
  /** Instead of the stages' own, for budgets and tests. */
  readonly steps?: number | undefined;
  /** Rollouts go on while steps are taken, in stages whose trajectories the policy samples; default not. */
  readonly overlap?: OverlapOptions | undefined;
  /** Where the run is kept so that another process can go on with it; default nowhere. */
  readonly keeper?: RunKeeper | undefined;
};

export type RunResult = {
  readonly base: HeldOut;
  readonly final: HeldOut;
  /** `[tasks]` of the final policy by temperature; empty where a recipe learns at test time. */
  readonly byTemperature: SuccessByTemperature;
  readonly spent: Spent;
  /** What learning kept as plain values: texts and cases are an artefact. */
  readonly state: StateValues;
};
