/** The part of a run that is saved outside of the process, and how a saved run is stopped. */
import type { JudgedTrajectory, StateValues } from "@waggle/learning";
import type { EngineCheckpoint, TensorMap, TrainEngine } from "@waggle/protocol";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { SavedRoles } from "./role-store.ts";
import type { StagePlace } from "./stage-place.ts";
import type { RecipeModels } from "../update/recipe-models.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import type { Budget } from "./run-spending.ts";
import type { Spent } from "../metrics/spent.ts";

/** Saves a run and tells it when to stop. */
export type RunKeeper = {
  /** State saved by an earlier process; `null` = the run begins. */
  readonly found: SavedRun | null;
  /** Resolves when the run would survive the process. */
  readonly save: (run: SavedRun) => Promise<void>;
  /** Steps between two saves; stages are also saved at their end. */
  readonly every: number;
  /** Whether the run should stop after the current step. */
  readonly isStopping: () => boolean;
};

/** State that stages carry from step to step. Seeds are derived from its counts. */
export type Carried = {
  /** `policy` and all other trained models: parameters, moments, step. */
  readonly engines: ReadonlyMap<string, EngineCheckpoint>;
  /** Parameters after the newest updates, newest last. */
  readonly snapshots: readonly TensorMap[];
  /** How often the policy was given parameters. */
  readonly version: number;
  readonly tasksDrawn: number;
  readonly state: StateValues;
  readonly stored: readonly JudgedTrajectory[];
  readonly roleStore: SavedRoles;
  readonly spent: Spent;
  /** Budget limit of the current stage. */
  readonly limit: Budget | undefined;
  /**
   * Index of the stage whose roles act in held-out tasks, among the stages and then the members of all
   * merges; `null` = none yet.
   */
  readonly deployed: number | null;
};

/** The complete state that later steps depend on, with the place in the next stage. */
export type SavedRun = Carried &
  StagePlace & {
    /** Completed stages, over all rounds. */
    readonly stagesDone: number;
    readonly base: HeldOut;
    readonly events: readonly RunEvent[];
  };

/** A saved run was asked to stop and stopped after a step. */
class RunStopped extends Error {}

type TrainedEngines = {
  readonly engine: TrainEngine;
  readonly resources: { readonly models?: RecipeModels };
};

/** The engines of `policy` and all other trained models. */
export function enginesOf({ engine, resources }: TrainedEngines): ReadonlyMap<string, TrainEngine> {
  return new Map([["policy", engine] as const, ...(resources.models ?? [])]);
}

/** Checkpoints of the policy's engine and all other trained models. */
export async function savedEngines(
  parts: TrainedEngines,
): Promise<ReadonlyMap<string, EngineCheckpoint>> {
  const saved = new Map<string, EngineCheckpoint>();
  for (const [name, engine] of enginesOf(parts)) saved.set(name, await engine.save());
  return saved;
}

/** @throws RunStopped if the run should stop. */
export function stopIfAsked(keeper: RunKeeper | undefined): void {
  if (keeper?.isStopping() === true) throw new RunStopped("the run was stopped");
}
