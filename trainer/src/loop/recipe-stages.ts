/**
 * The stages of a run: rolls out, trains, evaluates on held-out tasks, and carries state from step to
 * step. The run decides the order of the stages.
 */
import { swappingPolicy } from "@waggle/agent";
import type { EnvironmentRollout } from "@waggle/agent/environments";
import { type JudgedGroup, initialValues, type Stage } from "@waggle/learning";
import type { Sampling, TaskSplit, TrainEngine } from "@waggle/protocol";
import { adapterOf } from "../update/adapter-tensors.ts";
import { trajectoryMetrics } from "../update/trajectory-metrics.ts";
import { rollOutHeldOut, type HeldOut, heldOutOf } from "../evaluation/held-out.ts";
import type { WorldModels } from "../rollouts/changed-environment.ts";
import { evolvedStep } from "./evolved-step.ts";
import { mergedStage } from "./merged-stage.ts";
import { type OverlapOptions, overlappedStage } from "./overlapped-stage.ts";
import { RoleStore } from "./role-store.ts";
import { updateStage } from "../update/stage-update.ts";
import { PolicyVersions } from "./policy-versions.ts";
import { type Carried, savedEngines, stopIfAsked } from "./run-keeping.ts";
import type { AfterStep, StagePlace } from "./stage-place.ts";
import type { RunOptions, RunParts, RunResult } from "./run-options.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import { type Budget, RunSpending } from "./run-spending.ts";
import type { BegunStep, RolloutBatch } from "../source/local-rollouts.ts";
import { StageRollouts } from "./stage-rollouts.ts";
import { testTimeOf, testTimeStage } from "./test-time.ts";
import { train, unchecked } from "../training/train.ts";

type Metrics = { readonly [name: string]: number };

/** Runs single stages and has the state that the run saves. */
export class RecipeStages {
  readonly #parts: RunParts & { readonly worldModels: WorldModels };
  readonly #options: RunOptions;
  readonly #onEvent: (event: RunEvent) => void;
  readonly #signal: AbortSignal;
  readonly #versions: PolicyVersions;
  readonly #rollouts: StageRollouts;
  readonly roleStore: RoleStore;
  /** The stage whose roles act in held-out tasks. */
  #deployed: Stage | null = null;
  /** All stages and the members of all merges. */
  readonly #stages: readonly Stage[];
  readonly #spending: RunSpending;
  /** Total spending at which the stage ends. */
  #limit: Budget | undefined;

  constructor(
    parts: RunParts & { readonly worldModels: WorldModels },
    options: RunOptions,
    onEvent: (event: RunEvent) => void,
    signal: AbortSignal,
    stages: readonly Stage[],
  ) {
    const { overlap } = options;
    const found = options.keeper?.found ?? null;
    const policy = overlap ? swappingPolicy(parts.policy, overlap.swap) : parts.policy;
    this.#parts = { ...parts, policy };
    this.#options = options;
    const { snapshots = parts.start === undefined ? [] : [parts.start], version = 0 } = found ?? {};
    this.#versions = new PolicyVersions(this.#parts, { snapshots, version });
    const models = parts.resources.models ?? new Map<string, TrainEngine>();
    this.roleStore = new RoleStore({ ...parts, models }, found?.roleStore);
    this.#spending = new RunSpending(found?.spent);
    this.#rollouts = new StageRollouts(
      {
        ...this.#parts,
        versions: this.#versions,
        roleStore: this.roleStore,
        spending: this.#spending,
        signal,
      },
      options,
      found,
    );
    this.#stages = [...stages, ...stages.flatMap(({ merging }) => merging?.members.flat() ?? [])];
    this.#onEvent = onEvent;
    this.#signal = signal;
    if (found === null) return;
    this.#limit = found.limit;
    this.#deployed = found.deployed === null ? null : (this.#stages[found.deployed] ?? null);
  }

  /** State that later steps depend on, for a checkpoint. */
  async carried(): Promise<Carried> {
    return {
      engines: await savedEngines(this.#parts),
      snapshots: this.#versions.snapshots,
      version: this.#versions.count,
      ...this.#rollouts.saved,
      roleStore: this.roleStore.saved,
      spent: this.#spending.soFar,
      limit: this.#limit,
      deployed: this.#deployed === null ? null : this.#stages.indexOf(this.#deployed),
    };
  }

  get soFar(): Pick<RunResult, "spent" | "state"> {
    return { spent: this.#spending.soFar, state: this.#rollouts.state };
  }

  /** Sets the next stage's share of the remaining budget. */
  limit(share: number): void {
    this.#limit = this.#spending.upTo(this.#options.budget, share);
  }

  /**
   * Runs a stage.
   *
   * @param from - the place at which it resumes; default: its beginning.
   * @returns the evaluation after its last step.
   * @throws RunStopped if the keeper stops the run.
   */
  async stage(
    stage: Stage,
    from: StagePlace = { stepsDone: 0, latest: null, inner: null },
    after: AfterStep = async () => {},
  ): Promise<HeldOut> {
    if (stage.merging !== null) return this.#merge(stage, stage.merging, from, after);
    const steps = this.#options.steps ?? stage.steps;
    this.#rollouts.read(stage);
    if (from.stepsDone === 0) {
      const state = initialValues(stage, this.#rollouts.state);
      this.#rollouts.replaceState(await this.roleStore.begin(stage, this.#parts.engine, state));
    }
    if (stage.learns !== "model") this.#deployed = stage;
    if (testTimeOf(stage) !== null) return this.#atTestTime(stage, steps, from, after);
    // A budget may end a stage between two evaluations; then the final one is computed at the end.
    let { latest, stepsDone } = from;
    const begin = (): BegunStep => this.#rollouts.begun(stage, stepsDone, steps);
    const isOver = (): boolean => {
      if (stepsDone >= steps || this.#spending.exceeds(this.#limit)) return true;
      this.#signal.throwIfAborted();
      return false;
    };
    const sink = {
      keep: async (metrics: Metrics): Promise<void> => {
        const step = stepsDone;
        stepsDone += 1;
        latest = await this.#report(stage, step, steps, metrics);
        await after(stepsDone, latest, null);
        stopIfAsked(this.#options.keeper);
      },
    };
    const { evolution } = stage;
    const { overlap } = this.#options;
    if (
      overlap !== undefined &&
      stage.rollout.strategy(this.#rollouts.context(0, steps)).overlaps === true
    ) {
      await this.#overlapped(stage, steps - stepsDone, begin, sink.keep, overlap);
    } else if (evolution === null) {
      const { source, check, hasBegun } = this.#rollouts.source(stage, begin);
      const update = (batch: RolloutBatch) => this.#learn(stage, batch, batch.groups);
      const stop = () => (!hasBegun() && isOver() ? "done" : null);
      await train({ source, check, update, sink }, { stop });
    } else {
      const source = { next: async () => begin() };
      const update = (step: BegunStep) => this.#evolve(stage, evolution, step);
      const stop = () => (isOver() ? "done" : null);
      await train({ source, check: unchecked<BegunStep>(), update, sink }, { stop });
    }
    return latest ?? this.evaluate(stage.name, stepsDone);
  }

  /** @returns the evaluation if one is due. */
  async #report(
    { name: stage }: Stage,
    step: number,
    steps: number,
    metrics: Metrics,
  ): Promise<HeldOut | null> {
    const { spent } = this.soFar;
    this.#onEvent({ event: "step", stage, step: step + 1, steps, spent, metrics });
    const { evaluateEvery } = this.#options;
    const isDue = evaluateEvery > 0 && (step + 1) % evaluateEvery === 0;
    return isDue || step + 1 === steps ? this.evaluate(stage, step + 1) : null;
  }

  /** Steps with overlapping rollouts. Rollouts that were running at a stop are lost. */
  async #overlapped(
    stage: Stage,
    steps: number,
    begin: () => BegunStep,
    keep: (metrics: Metrics) => Promise<void>,
    overlap: OverlapOptions,
  ): Promise<void> {
    await this.#versions.adopt(0);
    const { tasksPerStep } = begin().settings;
    await overlappedStage(
      {
        rollOut: (signal) => {
          const { context, settings } = begin();
          const step = { settings, context: { ...context, signal } };
          const tasks = this.#rollouts.tasks(stage, { context, settings }, 1);
          return this.#rollouts.collect(stage, step, tasks);
        },
        learn: async (groups) => {
          const metrics = await this.#learn(stage, begin(), groups);
          await this.#versions.adopt(0);
          return metrics;
        },
        keep,
        policyVersion: () => this.#versions.count,
      },
      { steps, tasksPerStep },
      overlap,
      this.#signal,
    );
  }

  async #evolve(
    stage: Stage,
    evolution: NonNullable<Stage["evolution"]>,
    step: BegunStep,
  ): Promise<Metrics> {
    const { context, settings } = step;
    const strategy = stage.rollout.strategy(context);
    const { noise } = strategy;
    if (noise === undefined) return {};
    const tasks = this.#rollouts.tasks(stage, step, settings.tasksPerStep);
    const seed = this.#rollouts.seed;
    return evolvedStep(
      this.#parts.engine,
      { stage, evolution, noise },
      this.#versions,
      () => this.#rollouts.collect(stage, step, tasks, strategy),
      { seed, learningRate: settings.learningRate, context },
    );
  }

  /** Trains on held-out tasks at test time, rolls them out, and restores the policy. */
  async #atTestTime(
    stage: Stage,
    steps: number,
    { inner }: StagePlace,
    after: AfterStep,
  ): Promise<HeldOut> {
    const { engine, spec } = this.#parts;
    const { evaluationTasks, evaluationSeed, keeper } = this.#options;
    const heldOut = await testTimeStage(
      stage,
      { engine, spec, evaluationTasks, evaluationSeed },
      {
        begin: async () => {
          const { state } = this.#rollouts;
          return { tensors: adapterOf(await engine.parameters()), state };
        },
        restore: ({ tensors, state }) => {
          this.#versions.hold(tensors);
          this.#rollouts.replaceState(state);
        },
        collect: async (tasks, step) => {
          await this.#versions.adopt(0);
          const begun = this.#rollouts.begun(stage, step, steps);
          const cases = tasks.slice(0, begun.settings.tasksPerStep);
          return { ...begun, groups: await this.#rollouts.collect(stage, begun, cases) };
        },
        learn: async (batch) => {
          const metrics = await this.#learn(stage, batch, batch.groups);
          return metrics["gradientNorm"] !== undefined;
        },
        rollout: (places) => this.heldOutRollouts(places),
        after: async (stepsDone, place) => {
          await after(stepsDone, null, place);
          stopIfAsked(keeper);
        },
      },
      steps,
      inner?.kind === "test-time" ? inner : null,
    );
    this.#onEvent({ event: "evaluated", stage: stage.name, step: steps, heldOut });
    return heldOut;
  }

  async #merge(
    stage: Stage,
    merging: NonNullable<Stage["merging"]>,
    { inner }: StagePlace,
    after: AfterStep,
  ): Promise<HeldOut> {
    const { engine } = this.#parts;
    await mergedStage(
      merging,
      {
        engine,
        spending: this.#spending,
        limit: this.#limit,
        seed: this.#options.seed,
        begin: async (limit) => {
          this.#limit = limit;
          await this.#versions.holdFrom(engine);
        },
        stage: async (member, from, afterStep) => {
          await this.stage(member, from, afterStep);
        },
        rollout: async (count) => {
          await this.#versions.holdFrom(engine);
          return this.heldOutRollouts([...Array(count).keys()], "train");
        },
        after: (stepsDone, place) => after(stepsDone, null, place),
      },
      inner?.kind === "merge" ? inner : null,
    );
    await this.#versions.holdFrom(engine);
    return this.evaluate(stage.name, 1);
  }

  /** Takes one update on these groups. */
  async #learn(
    stage: Stage,
    { context, settings }: BegunStep,
    groups: readonly JudgedGroup[],
  ): Promise<Metrics> {
    const { engine, resources } = this.#parts;
    const update = await updateStage(engine, stage, groups, context, resources, this.#signal);
    this.#rollouts.learned(update.state, groups);
    if (update.learned && stage.trains === "policy") {
      this.#versions.add(adapterOf(await engine.parameters()));
    }
    await this.roleStore.learned(stage, engine);
    this.#versions.keep(settings.lag);
    const trajectories = groups.flatMap((each) => each.trajectories);
    const lostRollouts = this.#rollouts.takeLost();
    return {
      ...update.metrics,
      ...(lostRollouts > 0 ? { lostRollouts } : {}),
      groups: groups.length,
      dropped: update.dropped.size,
      ...trajectoryMetrics(trajectories),
    };
  }

  /** Evaluates the newest parameters on held-out tasks. */
  async evaluate(stage: string, step: number): Promise<HeldOut> {
    const places = Array.from({ length: this.#options.evaluationTasks }, (_, i) => i);
    const heldOut = heldOutOf(await this.heldOutRollouts(places));
    this.#onEvent({ event: "evaluated", stage, step, heldOut });
    return heldOut;
  }

  /** Rolls out the held-out tasks with these indices, or the tasks of another split. */
  async heldOutRollouts(
    places: readonly number[],
    split?: TaskSplit,
    sampling?: Omit<Sampling, "seed">,
    draw?: number,
  ): Promise<EnvironmentRollout[]> {
    const { policy, format, spec } = this.#parts;
    await this.#versions.adopt(0);
    const roles =
      this.#deployed === null ? undefined : await this.roleStore.acting(this.#deployed, 0);
    return rollOutHeldOut(
      { policy, format, spec, roles, reader: this.#rollouts.reader(false), signal: this.#signal },
      places,
      this.#deployed?.rollout.strategy(this.#rollouts.context(0, 1)),
      this.#options.evaluationSeed,
      split,
      sampling,
      draw,
    );
  }
}
