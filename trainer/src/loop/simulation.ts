/**
 * The learning loop without an edge or visitors. The trainer's own policy rolls out training tasks, the
 * same learning step trains on them, and frozen tasks measure the result. Used to choose learning rate,
 * rank and group counts, and as a learning test with its control.
 */
import { judgedRollout } from "@waggle/agent/environments";
import { type StateValues, taskName } from "@waggle/learning";
import {
  type GrammarCompiler,
  type TaskReference,
  type TensorMap,
  type TrainEngine,
  WaggleError,
} from "@waggle/protocol";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { evaluateVersion, type VersionedParts } from "../evaluation/frozen-evaluation.ts";
import type { FrozenTasks } from "../evaluation/frozen-tasks.ts";
import { inLanes } from "../rollouts/lanes.ts";
import { expandGrammars } from "../check/grammar-expansion.ts";
import { type LearnableGroup, learnableTrajectory } from "../check/learnable-group.ts";
import { baseScorer } from "../update/base-scorer.ts";
import { learningStep, type LearningStepResult } from "../update/learning-step.ts";
import {
  type ComingStep,
  rewardedForStep,
  type WaitingStep,
  waitingStep,
} from "../check/waiting-step.ts";
import { train } from "../training/train.ts";
import { derivedSeed, seededRandom } from "@waggle/protocol";

export type SimulationOptions = {
  readonly steps: number;
  readonly groupSize: number;
  /** Learning steps between versions, which sets the staleness of the sampling policy. */
  readonly publishEvery: number;
  /** Learning steps between evaluations; 0 = only before and after. */
  readonly evaluateEvery: number;
  readonly tasks: FrozenTasks;
  readonly seed: number;
  readonly shuffleAdvantages: boolean;
  readonly adapterShape: { readonly rank: number; readonly alpha: number };
  readonly band: number;
  readonly microbatchTokens: number;
  /** Saves the simulation, so that another process can resume it; default: not saved. */
  readonly keeper?: SimulationKeeper | undefined;
};

/** Counts and outcomes of a simulation. */
export type SimulationProgress = {
  /** Versions that the policy was given. */
  readonly version: number;
  readonly tasksDrawn: number;
  readonly base: readonly boolean[];
  readonly final: readonly boolean[];
};

/** State of a simulation between two steps, besides its engine. */
export type SavedSimulation = {
  readonly step: number;
  readonly state: SimulationProgress;
  readonly values: {
    /** The recipe's state. */
    readonly state: StateValues;
    /** The parameters with which the policy samples; `null` = those of the base. */
    readonly published: TensorMap | null;
  };
};

/** Saves a simulation between two steps. */
type SimulationKeeper = {
  /** The simulation of an earlier process, whose engine is loaded; `null` = it begins. */
  readonly found: SavedSimulation | null;
  /** Steps between two saves. */
  readonly every: number;
  readonly save: (saved: SavedSimulation) => Promise<void>;
};

export type SimulationEvent =
  | {
      readonly event: "step";
      readonly step: number;
      readonly metrics: { readonly [name: string]: number };
    }
  | {
      readonly event: "evaluated";
      readonly step: number;
      readonly successes: number;
      readonly tasks: number;
      readonly minutes: number;
    };

/** Outcomes before and after a simulation. */
export type SimulationResult = {
  /** Success by frozen task, before and after. */
  readonly base: readonly boolean[];
  readonly final: readonly boolean[];
};

/** The nth training task of the environment to roll out. */
export type TrainingTask = (index: number) => TaskReference;

/** The policy's parts, and the grammars of its tokenizer, which a rollout under a grammar needs. */
export type SimulationParts = VersionedParts & { readonly grammars?: GrammarCompiler };

/** Groups to try for one step before it continues with fewer. */
const TRIES_PER_GROUP = 6;

/** Runs a simulation and reports its steps and evaluations as events. */
export async function simulate(
  engine: TrainEngine,
  recipe: EdgeRecipe,
  parts: SimulationParts,
  trainingTask: TrainingTask,
  options: SimulationOptions,
  onEvent: (event: SimulationEvent) => void,
  signal: AbortSignal,
): Promise<SimulationResult> {
  const startedAt = performance.now();
  const minutes = (): number => (performance.now() - startedAt) / 60_000;
  const { keeper } = options;
  const found = keeper?.found ?? null;
  let version = found?.state.version ?? 0;
  let nextTask = found?.state.tasksDrawn ?? 0;
  let published = found?.values.published ?? null;

  async function evaluateNow(step: number): Promise<readonly boolean[]> {
    const adapter =
      step === 0 ? null : { ...options.adapterShape, tensors: await engine.parameters() };
    const { successes } = await evaluateVersion(parts, options.tasks, version, adapter, signal);
    const count = successes.filter(Boolean).length;
    onEvent({
      event: "evaluated",
      step,
      successes: count,
      tasks: successes.length,
      minutes: minutes(),
    });
    return successes;
  }

  async function rollOutGroup(): Promise<LearnableGroup> {
    const task = trainingTask(derivedSeed(options.seed, nextTask));
    nextTask += 1;
    const number = nextTask;
    const trajectories = await inLanes(options.groupSize, async (i) => {
      const seed = derivedSeed(options.seed, number, i);
      const { record, verification } = await judgedRollout(parts, task, seed, signal);
      const { grammars = null, policy } = parts;
      const trajectory = await expandGrammars(record, grammars, policy.vocabularySize);
      if (trajectory === null) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          "these rollouts are sampled under a grammar that cannot be replayed; pass the grammars of the policy's tokenizer, or set constrainToolCalls to false",
        );
      }
      // Sampled by this process with these weights, so the recorded log-probs are the re-scored ones.
      return learnableTrajectory(trajectory.id, trajectory, verification);
    });
    return { task: taskName(task), trajectories };
  }

  const base = found?.state.base ?? (await evaluateNow(0));
  let final = found?.state.final ?? base;
  let state: StateValues = found?.values.state ?? {};
  let step = found?.step ?? 0;
  if (published !== null) await adopt(published);
  const reference = baseScorer(parts.policy);
  let stepAt = performance.now();
  const coming = (): ComingStep => ({ step, seed: options.seed, state, band: options.band });
  let waiting = waitingStep(recipe, [], coming());
  let rewards: number[] = [];
  let tries = 0;
  const { tasksPerStep } = recipe.stage.settings;

  /** Gives the policy the current parameters as its next version. */
  async function publish(): Promise<void> {
    version += 1;
    published = await engine.parameters();
    await adopt(published);
  }

  function adopt(tensors: TensorMap): Promise<void> {
    return parts.policy.setAdapter(version, { ...options.adapterShape, tensors });
  }

  /** Gives the policy its version again after it computed log-probs of the base. */
  async function restore(): Promise<void> {
    if (parts.policy.currentVersion !== version && published !== null) await adopt(published);
  }

  /** Discards the rollouts of the previous step. */
  function begin(): void {
    stepAt = performance.now();
    waiting = waitingStep(recipe, [], coming());
    rewards = [];
    tries = 0;
  }

  await train<LearnableGroup, WaitingStep, LearningStepResult | null, "done">(
    {
      source: {
        next: async () => {
          if (tries === 0 && step === 0) await parts.policy.setAdapter(0, null);
          else if (tries === 0 && step % options.publishEvery === 0) await publish();
          tries += 1;
          return rollOutGroup();
        },
      },
      check: {
        admit: async (group) => {
          rewards.push(
            ...group.trajectories.map(({ trajectory }) => trajectory.verification.reward),
          );
          const rewarded = await rewardedForStep(recipe, group, coming());
          waiting = waitingStep(recipe, [...waiting.groups, rewarded], coming());
        },
        isDue: async () =>
          waiting.groups.length >= tasksPerStep || tries >= tasksPerStep * TRIES_PER_GROUP,
        batch: async () => waiting,
        wanted: () => tasksPerStep - waiting.groups.length,
      },
      update: async (batch) => {
        if (batch.groups.length === 0) return null;
        const learned = await learningStep(engine, recipe, batch, {
          ...coming(),
          reference,
          microbatchTokens: options.microbatchTokens,
          shuffleAdvantages: options.shuffleAdvantages ? seededRandom(options.seed, step) : null,
          betweenPasses: async () => signal.throwIfAborted(),
        });
        await restore();
        return learned;
      },
      sink: {
        keep: async (learned) => {
          step += 1;
          if (learned !== null) await keep(learned);
          begin();
          if (keeper !== undefined && step % keeper.every === 0) {
            const progress = { version, tasksDrawn: nextTask, base, final };
            await keeper.save({ step, state: progress, values: { state, published } });
          }
        },
      },
    },
    { stop: () => (step >= options.steps ? "done" : null) },
  );

  async function keep(learned: LearningStepResult): Promise<void> {
    state = { ...state, ...learned.state };
    onEvent({
      event: "step",
      step,
      metrics: {
        ...learned.metrics,
        // Metrics of all rollouts, not only of groups with a signal.
        rolledOut: rewards.length,
        rolledOutReward: rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length,
        seconds: (performance.now() - stepAt) / 1000,
      },
    });
    const isDue = options.evaluateEvery > 0 && step % options.evaluateEvery === 0;
    if (isDue || step === options.steps) {
      final = await evaluateNow(step);
      // The evaluation loaded the newest parameters into the policy, so they are the next version.
      await publish();
    }
  }
  return { base, final };
}
