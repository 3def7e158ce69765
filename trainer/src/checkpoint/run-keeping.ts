/** What of a run is kept outside of the process, and how a kept run is stopped. */
import type { JudgedTrajectory, StateValues } from "@waggle/learning";
import type { EngineCheckpoint, TensorMap, TrainEngine } from "@waggle/protocol";
import type { HeldOut } from "../evaluation/held-out.ts";
import type { SavedRoles } from "../loop/role-store.ts";
import type { RecipeModels } from "../update/recipe-models.ts";
import type { RunEvent } from "../loop/run-event.ts";
import type { Budget, Spent } from "../loop/run-spending.ts";

export type RunKeeper = {
  /** What an earlier process left; `null` = the run begins. */
  readonly found: SavedRun | null;
  /** Returns when the run would survive the process. */
  readonly save: (run: SavedRun) => Promise<void>;
  /** Steps between two saves, beside those between stages. */
  readonly every: number;
  /** Whether the run is to stop after the present step. */
  readonly isStopping: () => boolean;
};

/** What stages carry from step to step. Seeds follow from the counts in it. */
export type Carried = {
  /** `policy` and whatever is trained beside it: parameters, moments, step. */
  readonly engines: ReadonlyMap<string, EngineCheckpoint>;
  /** Parameters after the newest updates, newest last. */
  readonly snapshots: readonly TensorMap[];
  /** Of the policy: how often it was given parameters. */
  readonly version: number;
  readonly tasksDrawn: number;
  readonly state: StateValues;
  readonly stored: readonly JudgedTrajectory[];
  readonly roleStore: SavedRoles;
  readonly spent: Spent;
  /** Of the present stage. */
  readonly limit: Budget | undefined;
  /** Place of the stage as whose roles held-out tasks are rolled out; `null` = none yet. */
  readonly deployed: number | null;
};

/** Everything that the steps to come depend on. */
export type SavedRun = Carried & {
  /** Stages of all rounds that are done. */
  readonly stagesDone: number;
  /** Steps of the next stage that are done; 0 = it has not begun. */
  readonly stepsDone: number;
  readonly base: HeldOut;
  /** The newest evaluation; `null` where none was due in this stage yet. */
  readonly latest: HeldOut | null;
  readonly events: readonly RunEvent[];
};

/** Where a stage goes on. */
export type StagePlace = { readonly stepsDone: number; readonly latest: HeldOut | null };

/** Called after each step of a stage that can be gone on with in its middle. */
export type AfterStep = (stepsDone: number, latest: HeldOut | null) => Promise<void>;

/** A kept run was asked to stop, and did after a step. */
class RunStopped extends Error {}

type TrainedEngines = {
  readonly engine: TrainEngine;
  readonly resources: { readonly models?: RecipeModels };
};

/** `policy` and whatever is trained beside it. */
export function enginesOf({ engine, resources }: TrainedEngines): ReadonlyMap<string, TrainEngine> {
  return new Map([["policy", engine] as const, ...(resources.models ?? [])]);
}

export async function savedEngines(
  parts: TrainedEngines,
): Promise<ReadonlyMap<string, EngineCheckpoint>> {
  const saved = new Map<string, EngineCheckpoint>();
  for (const [name, engine] of enginesOf(parts)) saved.set(name, await engine.save());
  return saved;
}

/** @throws RunStopped where the run is to stop. */
export function stopIfAsked(keeper: RunKeeper | undefined): void {
  if (keeper?.isStopping() === true) throw new RunStopped("the run was stopped");
}
