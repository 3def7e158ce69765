/**
 * The stages of a run: roll out, learn, look at held-out tasks, and what is carried from step to step. Which
 * stage comes when is the run's.
 */
import {
  type JudgedTrajectory,
  type JudgedGroup,
  initialValues,
  type PartContext,
  type RolloutPlan,
  settingsAt,
  type Stage,
  type StateValues,
  type StepSettings,
} from "@waggle/learning";
import type { Sampling, TaskReference, TaskSplit, TrainEngine } from "@waggle/protocol";
import { derivedSeed, seededRandom } from "../rollouts/random.ts";
import { type Reader, stageReader } from "../rollouts/rollout-reading.ts";
import { adapterOf } from "../update/adapter-tensors.ts";
import { collect } from "../strategies/collect.ts";
import { trajectoryMetrics, hasSignal } from "../update/trajectory-metrics.ts";
import { describer } from "../rollouts/trajectory-text.ts";
import type { EnvironmentRollout } from "../rollouts/environment-rollout.ts";
import { rollOutHeldOut, type HeldOut, heldOutOf } from "../evaluation/held-out.ts";
import type { WorldModels } from "../rollouts/imagined-environment.ts";
import { evolvedStep } from "./evolved-step.ts";
import { mergedStage } from "./merged-stage.ts";
import { canOverlap, type OverlapOptions, overlappedStage } from "./overlapped-stage.ts";
import { opponentOf, RoleStore } from "./role-store.ts";
import { updateStage } from "../update/stage-update.ts";
import { PolicyVersions } from "../sink/policy-versions.ts";
import {
  type AfterStep,
  type Carried,
  savedEngines,
  stopIfAsked,
  type StagePlace,
} from "../checkpoint/run-keeping.ts";
import type { RunEvent, RunOptions, RunParts, RunResult } from "./run-options.ts";
import { type Budget, RunSpending } from "./run-spending.ts";
import { storedDemonstrations } from "../strategies/stored-demonstrations.ts";
import { swappingPolicy } from "../rollouts/swapping-policy.ts";
import { TaskDraws } from "../rollouts/task-draws.ts";
import { testTimeOf, testTimeStage } from "./test-time.ts";

/** Times that the tasks of a step are rolled out again where filters left too few groups. */
const REFILLS = 2;
/** Stored trajectories that plans may go on from. */
const STORED = 512;

export class RecipeStages {
  readonly #parts: RunParts & { readonly worldModels: WorldModels };
  readonly #options: RunOptions;
  readonly #onEvent: (event: RunEvent) => void;
  readonly #signal: AbortSignal;
  readonly #versions: PolicyVersions;
  readonly #draws: TaskDraws;
  readonly roleStore: RoleStore;
  /** The stage as whose roles held-out tasks are rolled out. */
  #deployed: Stage | null = null;
  #stored: readonly JudgedTrajectory[] = [];
  #state: StateValues = {};
  /** The stage whose state rollouts read. */
  #reads: Pick<Stage, "state"> = { state: {} };
  readonly #spending: RunSpending;
  /** What may be spent before the stage ends. */
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
    this.#draws = new TaskDraws(parts.spec, options.seed, found?.tasksDrawn);
    this.#spending = new RunSpending(found?.spent);
    this.#onEvent = onEvent;
    this.#signal = signal;
    if (found === null) return;
    this.#state = found.state;
    this.#stored = found.stored;
    this.#limit = found.limit;
    this.#deployed = found.deployed === null ? null : (stages[found.deployed] ?? null);
  }

  /** What the steps to come depend on. */
  async carried(stages: readonly Stage[]): Promise<Carried> {
    return {
      engines: await savedEngines(this.#parts),
      snapshots: this.#versions.snapshots,
      version: this.#versions.count,
      tasksDrawn: this.#draws.count,
      state: this.#state,
      stored: this.#stored,
      roleStore: this.roleStore.saved,
      spent: this.#spending.soFar,
      limit: this.#limit,
      deployed: this.#deployed === null ? null : stages.indexOf(this.#deployed),
    };
  }

  get soFar(): Pick<RunResult, "spent" | "state"> {
    return { spent: this.#spending.soFar, state: this.#state };
  }

  /** The next stage may spend this share of what is left. */
  limit(share: number): void {
    this.#limit = this.#spending.upTo(this.#options.budget, share);
  }

  /**
   * @param from - steps of it that are done, and the newest evaluation in it.
   * @returns the evaluation after its last step.
   * @throws where the run is to stop.
   */
  async stage(
    stage: Stage,
    from: StagePlace = { stepsDone: 0, latest: null },
    after: AfterStep = async () => {},
  ): Promise<HeldOut> {
    if (stage.merging !== null) return this.#merge(stage, stage.merging);
    const steps = this.#options.steps ?? stage.steps;
    this.#reads = stage;
    if (from.stepsDone === 0) {
      this.#state = initialValues(stage, this.#state);
      this.#state = await this.roleStore.begin(stage, this.#parts.engine, this.#state);
    }
    if (stage.learns !== "model") this.#deployed = stage;
    if (testTimeOf(stage) !== null) return this.#atTestTime(stage, steps);
    const { overlap } = this.#options;
    if (overlap !== undefined && canOverlap(stage.rollout.plan(this.#context(0, steps)))) {
      return this.#overlapped(stage, steps, overlap);
    }
    // A budget may end a stage where no evaluation was due: then none is the last.
    let { latest, stepsDone } = from;
    while (stepsDone < steps && !this.#spending.exceeds(this.#limit)) {
      this.#signal.throwIfAborted();
      const context = this.#context(stepsDone, steps);
      const metrics = await this.#step(stage, settingsAt(stage, context), context);
      latest = await this.#report(stage, stepsDone, steps, metrics);
      stepsDone += 1;
      await after(stepsDone, latest);
      stopIfAsked(this.#options.keeper);
    }
    return latest ?? this.evaluate(stage.name, stepsDone);
  }

  #context(step: number, steps: number): PartContext {
    return {
      step,
      steps,
      random: seededRandom(this.#options.seed, this.#versions.count, 0x5e),
      state: this.#state,
      ports: {
        ...this.#parts.ports,
        describe: describer(this.#parts.spec, this.#parts.format),
      },
      signal: this.#signal,
    };
  }

  /** @returns the evaluation where one is due. */
  async #report(
    { name: stage }: Stage,
    step: number,
    steps: number,
    metrics: { readonly [name: string]: number },
  ): Promise<HeldOut | null> {
    const { spent } = this.soFar;
    this.#onEvent({ event: "step", stage, step: step + 1, steps, spent, metrics });
    const { evaluateEvery } = this.#options;
    const isDue = evaluateEvery > 0 && (step + 1) % evaluateEvery === 0;
    return isDue || step + 1 === steps ? this.evaluate(stage, step + 1) : null;
  }

  /** The steps of a stage, with rollouts going on. */
  async #overlapped(stage: Stage, steps: number, overlap: OverlapOptions): Promise<HeldOut> {
    await this.#versions.adopt(0);
    let [last, taken]: [HeldOut | null, number] = [null, 0];
    await overlappedStage(
      {
        rollOut: (signal) => {
          const context = this.#context(taken, steps);
          const settings = settingsAt(stage, context);
          const tasks = this.#draws.next(stage, settings, context, 1);
          return this.#collect(stage, settings, { ...context, signal }, tasks);
        },
        learn: async (groups, step, metrics) => {
          const context = this.#context(step, steps);
          const learned = await this.#learn(stage, settingsAt(stage, context), groups, context);
          await this.#versions.adopt(0);
          stopIfAsked(this.#options.keeper);
          taken = step + 1;
          last = (await this.#report(stage, step, steps, { ...learned, ...metrics })) ?? last;
        },
        policyVersion: () => this.#versions.count,
      },
      { steps, tasksPerStep: settingsAt(stage, this.#context(0, steps)).tasksPerStep },
      overlap,
      this.#signal,
    );
    return last ?? this.evaluate(stage.name, 0);
  }

  async #evolve(
    stage: Stage,
    evolution: NonNullable<Stage["evolution"]>,
    settings: StepSettings,
    context: PartContext,
  ): Promise<{ [name: string]: number }> {
    const plan = stage.rollout.plan(context);
    if (plan.kind !== "noise") return {};
    const tasks = this.#draws.next(stage, settings, context, settings.tasksPerStep);
    const seed = derivedSeed(this.#options.seed, this.#draws.count);
    return evolvedStep(
      this.#parts.engine,
      { stage, evolution, plan },
      this.#versions,
      () => this.#collect(stage, settings, context, tasks, { kind: "group", size: 1 }),
      { seed, learningRate: settings.learningRate, context },
    );
  }

  /** Learns for held-out tasks, rollouts them, and is then as it was. */
  async #atTestTime(stage: Stage, steps: number): Promise<HeldOut> {
    const { engine, spec } = this.#parts;
    const { evaluationTasks, evaluationSeed } = this.#options;
    const start = { tensors: adapterOf(await engine.parameters()), state: this.#state };
    const restore = (): void => {
      this.#versions.hold(start.tensors);
      this.#state = start.state;
    };
    const heldOut = await testTimeStage(
      stage,
      { engine, spec, evaluationTasks, evaluationSeed },
      {
        restore,
        step: async (tasks, step) => {
          stopIfAsked(this.#options.keeper);
          await this.#versions.adopt(0);
          const context = this.#context(step, steps);
          const settings = settingsAt(stage, context);
          const cases = tasks.slice(0, settings.tasksPerStep);
          const groups = await this.#collect(stage, settings, context, cases);
          const metrics = await this.#learn(stage, settings, groups, context);
          return metrics["gradientNorm"] !== undefined;
        },
        rollout: (places) => this.attempts(places),
      },
      steps,
    );
    this.#onEvent({ event: "evaluated", stage: stage.name, step: steps, heldOut });
    return heldOut;
  }

  async #merge(stage: Stage, merging: NonNullable<Stage["merging"]>): Promise<HeldOut> {
    const { engine } = this.#parts;
    await mergedStage(merging, {
      engine,
      spending: this.#spending,
      limit: this.#limit,
      seed: this.#options.seed,
      learn: async (members, limit) => {
        this.#limit = limit;
        await this.#versions.holdFrom(engine);
        for (const member of members) await this.stage(member);
      },
      rollout: async (count) => {
        await this.#versions.holdFrom(engine);
        return this.attempts([...Array(count).keys()], "train");
      },
    });
    await this.#versions.holdFrom(engine);
    return this.evaluate(stage.name, 1);
  }

  async #step(
    stage: Stage,
    settings: StepSettings,
    context: PartContext,
  ): Promise<{ [name: string]: number }> {
    if (stage.evolution !== null) return this.#evolve(stage, stage.evolution, settings, context);
    const { engine } = this.#parts;
    // The start is a version too: the second step of a policy that lags by one samples from it.
    if (this.#versions.snapshots.length === 0) await this.#versions.holdFrom(engine);
    await this.#versions.adopt(settings.lag);
    const groups: JudgedGroup[] = [];
    let informative = 0;
    for (let round = 0; round <= REFILLS && informative < settings.tasksPerStep; round += 1) {
      const wanted = settings.tasksPerStep - informative;
      const tasks = this.#draws.next(stage, settings, context, wanted);
      const more = await this.#collect(stage, settings, context, tasks);
      if (more.length === 0) break;
      groups.push(...more);
      // Only groups of several can turn out to say nothing.
      informative += more.filter(({ trajectories }) => hasSignal(trajectories)).length;
    }
    return this.#learn(stage, settings, groups, context);
  }

  /** One update from these groups. */
  async #learn(
    stage: Stage,
    settings: StepSettings,
    groups: readonly JudgedGroup[],
    context: PartContext,
  ): Promise<{ [name: string]: number }> {
    const { engine, resources } = this.#parts;
    const update = await updateStage(engine, stage, groups, context, resources, this.#signal);
    this.#state = { ...this.#state, ...update.state };
    if (update.learned && stage.trains === "policy") {
      this.#versions.add(adapterOf(await engine.parameters()));
    }
    await this.roleStore.learned(stage, engine);
    this.#versions.keep(settings.lag);
    const trajectories = groups.flatMap((each) => each.trajectories);
    this.#stored = [...this.#stored, ...trajectories].slice(-STORED);
    return {
      ...update.metrics,
      groups: groups.length,
      dropped: update.dropped.size,
      ...trajectoryMetrics(trajectories),
    };
  }

  async #collect(
    stage: Stage,
    settings: StepSettings,
    context: PartContext,
    tasks: readonly TaskReference[],
    plan: RolloutPlan = stage.rollout.plan(context),
  ): Promise<JudgedGroup[]> {
    const { policy, format, spec, worldModels } = this.#parts;
    const { signal } = context;
    const roles = await this.roleStore.acting(stage, settings.lag, opponentOf(plan));
    const goesOn = plan.kind === "pivot" || plan.kind === "prefix" || plan.kind === "log";
    if (goesOn && this.#stored.length === 0) {
      this.#stored = await storedDemonstrations({ ...this.#parts, signal }, this.#options.seed);
    }
    const groups = await collect(
      plan,
      tasks,
      this.#stored,
      { policy, format, spec, worldModels, reader: this.#reader(true), roles, signal },
      {
        sampling: settings.sampling,
        maxTurns: settings.maxTurns,
        roleShift: settings.roleShift,
        seed: derivedSeed(this.#options.seed, this.#draws.count),
        staleness: settings.lag,
      },
    );
    return this.#spending.count(groups);
  }

  #reader(explores: boolean): Reader | undefined {
    const seed = derivedSeed(this.#options.seed, this.#draws.count, 0x4ead);
    return stageReader(this.#reads, this.#state, { seed, explores });
  }

  /** Held-out tasks with the newest parameters. */
  async evaluate(stage: string, step: number): Promise<HeldOut> {
    const places = Array.from({ length: this.#options.evaluationTasks }, (_, i) => i);
    const heldOut = heldOutOf(await this.attempts(places));
    this.#onEvent({ event: "evaluated", stage, step, heldOut });
    return heldOut;
  }

  /** Held-out tasks of these places, or as many others. */
  async attempts(
    places: readonly number[],
    split?: TaskSplit,
    sampling?: Omit<Sampling, "seed">,
  ): Promise<EnvironmentRollout[]> {
    const { policy, format, spec } = this.#parts;
    await this.#versions.adopt(0);
    const roles =
      this.#deployed === null ? undefined : await this.roleStore.acting(this.#deployed, 0);
    return rollOutHeldOut(
      { policy, format, spec, roles, reader: this.#reader(false), signal: this.#signal },
      places,
      this.#deployed?.rollout.plan(this.#context(0, 1)),
      this.#options.evaluationSeed,
      split,
      sampling,
    );
  }
}
