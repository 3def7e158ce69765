/**
 * Rollouts of a recipe's stages in this process: draws tasks, selects the policy version and supplies
 * the state that rollouts read. It does not train.
 */
import {
  type JudgedGroup,
  type PartContext,
  type RolloutStrategy,
  settingsAt,
  type Stage,
  type StateChange,
  type StateValues,
} from "@waggle/learning";
import type { TaskReference } from "@waggle/protocol";
import type { SavedRun } from "./run-keeping.ts";
import type { RoleStore } from "./role-store.ts";
import type { RunOptions, RunParts } from "./run-options.ts";
import type { RunSpending } from "./run-spending.ts";
import { withEditedAnswers } from "../check/edited-answer.ts";
import { LostRollouts } from "../rollouts/lost-rollouts.ts";
import { type Reader, stageReader } from "../rollouts/rollout-reading.ts";
import { describer } from "../rollouts/trajectory-text.ts";
import type { WorldModels } from "../rollouts/changed-environment.ts";
import { derivedSeed, seededRandom } from "@waggle/protocol";
import { TaskDraws } from "../rollouts/task-draws.ts";
import type { PolicyVersions } from "./policy-versions.ts";
import { rolledOut } from "../rollouts/rollout-driver.ts";
import { type BegunStep, localRollouts } from "../source/local-rollouts.ts";
import { StoredTrajectories } from "../source/stored-trajectories.ts";

export type StageRolloutParts = Pick<
  RunParts,
  "engine" | "policy" | "format" | "spec" | "ports"
> & {
  readonly worldModels: WorldModels;
  readonly versions: PolicyVersions;
  readonly roleStore: RoleStore;
  readonly spending: RunSpending;
  readonly signal: AbortSignal;
};

/** Rolls out the tasks of a run and has the state that rollouts read. */
export class StageRollouts {
  readonly #parts: StageRolloutParts;
  readonly #seed: number;
  readonly #draws: TaskDraws;
  readonly #stored: StoredTrajectories;
  readonly #lost = new LostRollouts();
  #state: StateValues;
  /** The stage whose state rollouts read. */
  #reads: Pick<Stage, "state" | "losses"> = { state: {}, losses: [] };

  constructor(
    parts: StageRolloutParts,
    { seed }: Pick<RunOptions, "seed">,
    found: Pick<SavedRun, "tasksDrawn" | "stored" | "state"> | null,
  ) {
    this.#parts = parts;
    this.#seed = seed;
    this.#draws = new TaskDraws(parts.spec, seed, found?.tasksDrawn);
    this.#stored = new StoredTrajectories(found?.stored);
    this.#state = found?.state ?? {};
  }

  get state(): StateValues {
    return this.#state;
  }

  /** State that later rollouts depend on, for a checkpoint. */
  get saved(): Pick<SavedRun, "tasksDrawn" | "stored" | "state"> {
    return { tasksDrawn: this.#draws.count, state: this.#state, stored: this.#stored.all };
  }

  /** Seed for random draws at the current tasks. */
  get seed(): number {
    return derivedSeed(this.#seed, this.#draws.count);
  }

  /** Selects the stage whose state rollouts read. */
  read(stage: Pick<Stage, "state" | "losses">): void {
    this.#reads = stage;
  }

  replaceState(state: StateValues): void {
    this.#state = state;
  }

  /** Applies the state change of an update and stores its trajectories. */
  learned(change: StateChange, groups: readonly JudgedGroup[]): void {
    this.#state = { ...this.#state, ...change };
    this.#stored.add(groups.flatMap(({ trajectories }) => trajectories));
  }

  context(step: number, steps: number): PartContext {
    const { spec, format, ports, signal, versions } = this.#parts;
    return {
      step,
      steps,
      random: seededRandom(this.#seed, versions.count, 0x5e),
      state: this.#state,
      ports: { ...ports, describe: describer(spec, format) },
      signal,
    };
  }

  begun(stage: Stage, step: number, steps: number): BegunStep {
    const context = this.context(step, steps);
    return { context, settings: settingsAt(stage, context) };
  }

  tasks(stage: Stage, { context, settings }: BegunStep, count: number): readonly TaskReference[] {
    return this.#draws.next(stage, settings, context, count);
  }

  async collect(
    stage: Stage,
    { context, settings }: BegunStep,
    tasks: readonly TaskReference[],
    strategy: RolloutStrategy = stage.rollout.strategy(context),
  ): Promise<JudgedGroup[]> {
    const { policy, format, spec, worldModels, roleStore, spending } = this.#parts;
    const { signal } = context;
    const roles = await roleStore.acting(stage, settings.lag, strategy.opponent);
    if (strategy.startsFromStored === true) {
      await this.#stored.begin({ policy, format, spec, worldModels, signal }, this.#seed);
    }
    const parts = { policy, format, spec, worldModels, roles, signal };
    const groups = await rolledOut(
      strategy,
      tasks,
      this.#stored.all,
      { ...parts, reader: this.reader(true), lost: this.#lost },
      {
        sampling: settings.sampling,
        maxTurns: settings.maxTurns,
        roleShift: settings.roleShift,
        seed: this.seed,
        staleness: settings.lag,
      },
    );
    return spending.count(
      withEditedAnswers(this.#lost.kept(groups), format, stage.learns === "pairs"),
    );
  }

  /** Rollouts that were lost since the last step. */
  takeLost(): number {
    return this.#lost.taken();
  }

  /** @param explores - whether it may explore rarely tried entries; false for held-out tasks. */
  reader(explores: boolean): Reader | undefined {
    const seed = derivedSeed(this.#seed, this.#draws.count, 0x4ead);
    return stageReader(this.#reads, this.#state, { seed, explores });
  }

  /** A training source that rolls out this stage's tasks. */
  source(stage: Stage, begin: () => BegunStep): ReturnType<typeof localRollouts> {
    const { engine, versions } = this.#parts;
    return localRollouts({
      begin: async () => {
        const step = begin();
        await versions.begin(engine, step.settings.lag);
        return step;
      },
      rollOut: (step, wanted) => this.collect(stage, step, this.tasks(stage, step, wanted)),
    });
  }
}
