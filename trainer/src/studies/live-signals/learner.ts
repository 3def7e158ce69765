/**
 * The trainer's side of the study: learns from requests with feedback, with the code of the training loop. It knows no
 * environment, no verifier and none of the people; a test holds its imports to that.
 */
import type { LeasedTrajectory, TrainEngine } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import { createFeedbackCheck } from "../../check/feedback-check.ts";
import { learnableTrajectory } from "../../check/learnable-group.ts";
import {
  type ComingStep,
  type RewardedLearnable,
  rewardedForStep,
  waitingStep,
} from "../../check/waiting-step.ts";
import type { EdgeRecipe } from "../../recipes/edge-recipe.ts";
import { hintedSequences } from "../../recipes/hinted-sequence.ts";
import { learningStep } from "../../update/learning-step.ts";
import type { FrozenScorer } from "../../update/recipe-models.ts";

type SignalLearnerOptions = {
  readonly engine: TrainEngine;
  /** Gives the log-probs of the base, for a recipe with a KL term. */
  readonly reference: FrozenScorer | undefined;
  readonly recipe: EdgeRecipe;
  readonly format: ChatFormat;
  readonly contextLength: number;
  readonly seed: number;
};

/** Recorded log-probs come from this process, so they need no room. */
const BAND = 1e-6;
/** Most tokens of one pass of the engine. */
const MICROBATCH_TOKENS = 8192;

/** Learns step by step. Requests wait until there are enough for a step. */
export class SignalLearner {
  readonly #options: SignalLearnerOptions;
  #state: ComingStep["state"] = {};
  #waiting: RewardedLearnable[] = [];
  #steps = 0;
  #answered = 0;

  constructor(options: SignalLearnerOptions) {
    this.#options = options;
  }

  /** Optimizer steps so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Requests with feedback that the recipe reads. */
  get answered(): number {
    return this.#answered;
  }

  /** Takes requests, and learns if that fills a step. @returns whether the parameters changed. */
  async take(requests: readonly LeasedTrajectory[]): Promise<boolean> {
    const { recipe, format } = this.#options;
    const check = createFeedbackCheck(recipe.feedback ?? {}, format, undefined);
    const before = this.#steps;
    for (const leased of requests) {
      const checked = await check(leased);
      if (!checked.holds) continue;
      this.#answered += 1;
      const { edited = leased.trajectory, verification } = checked;
      const trajectory = learnableTrajectory(leased.digest, edited, verification);
      const group = { task: leased.digest, trajectories: [trajectory] };
      this.#waiting.push(await rewardedForStep(recipe, group, this.#coming));
      await this.#learnIfDue();
    }
    return this.#steps > before;
  }

  get #coming(): ComingStep {
    return { step: this.#steps, seed: this.#options.seed, state: this.#state, band: BAND };
  }

  async #learnIfDue(): Promise<void> {
    const { engine, reference, recipe, format, contextLength } = this.#options;
    const step = waitingStep(recipe, this.#waiting, this.#coming);
    if (step.groups.length < recipe.stage.settings.tasksPerStep) {
      // Groups that the recipe's filters drop do not wait.
      this.#waiting = [...step.groups];
      return;
    }
    const { state } = await learningStep(engine, recipe, step, {
      ...this.#coming,
      microbatchTokens: MICROBATCH_TOKENS,
      shuffleAdvantages: null,
      reference,
      ports: { hinted: hintedSequences(format, contextLength) },
    });
    this.#state = { ...this.#state, ...state };
    this.#steps += 1;
    this.#waiting = [];
  }
}
