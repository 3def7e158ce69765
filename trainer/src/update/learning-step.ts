/**
 * One learning step of the loop: groups of checked trajectories in, updated parameters and metrics out.
 * The training loop and the offline simulation both run it. The update itself is shared by all recipes
 * (`stage-update.ts`); this file adds the bounds on what one sender causes and metrics on log-probs,
 * staleness and outcomes.
 */
import { meanOrZero } from "@waggle/evaluation";
import {
  effectiveSamples,
  meanAdvantage,
  offPolicyMetrics,
  type PartPorts,
  sampledTokens,
  type StateChange,
} from "@waggle/learning";
import type { LearnedFrom, TrainEngine, TrainSequence } from "@waggle/protocol";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { inPasses } from "./engine-passes.ts";
import { withBoundedGradients } from "./bounded-gradients.ts";
import { shuffledLabels } from "./group-advantages.ts";
import { learnedInStep, rejectedIds } from "./learned-from.ts";
import type {
  LearnableGroup,
  LearnableTrajectory,
  PresentSenders,
} from "../check/learnable-group.ts";
import { partContext } from "../recipes/part-context.ts";
import type { FrozenScorer } from "./recipe-models.ts";
import { updateFrom, type UpdateNumbers } from "./stage-update.ts";
import type { StepInfluence } from "../checkpoint/step-influence.ts";
import { type InfluenceShares, UNBOUNDED, withBoundedSenders } from "./sender-influence.ts";
import { givenVerdict } from "../check/edited-answer.ts";
import type { ComingStep, WaitingStep } from "../check/waiting-step.ts";

export type LearningStepOptions = ComingStep & {
  /** Most tokens per forward or backward pass, before the engine packs them. */
  readonly microbatchTokens: number;
  /** The negative control: shuffles the advantages, or labels, over the minibatch. `null` = no shuffling. */
  readonly shuffleAdvantages: (() => number) | null;
  /** Bounds on the share of a step that one sender causes; default none. See `sender-influence.ts`. */
  readonly shares?: InfluenceShares | undefined;
  /** What senders caused in the steps before; default nothing. */
  readonly earlier?: readonly StepInfluence[] | undefined;
  /** Log-probs under the base model, for a recipe with a reference or a KL term. */
  readonly reference?: FrozenScorer | undefined;
  /** Renders corrections into prompts, for a recipe that reads them. */
  readonly ports?: Pick<PartPorts, "hinted"> | undefined;
  /** Senders seen since the last step, also those whose rollouts had no signal; default nobody. */
  readonly present?: PresentSenders | undefined;
  /**
   * Called between passes. It may throw to stop the step, which leaves the parameters unchanged.
   */
  readonly betweenPasses?: () => Promise<void>;
};

export type LearningStepResult = {
  /**
   * By digest: the mean advantage over the tokens of each trajectory that was trained on, or of the trials at it; `null` if the
   * recipe has no advantages.
   */
  readonly advantages: ReadonlyMap<string, number | null>;
  /** By digest: why the recipe left other trajectories out. */
  readonly reasons: ReadonlyMap<string, string>;
  /** What the step learned from; `null` if nothing was learned. */
  readonly learnedFrom: LearnedFrom | null;
  /** The recipe's state for the next step. */
  readonly state: StateChange;
  /** What each sender caused; absent if nothing was learned. */
  readonly influence?: StepInfluence | undefined;
  /** Whether the bounds on senders left nothing of the step. The caller undoes it. */
  readonly hasFewSenders?: boolean;
  /** Empty if nothing was learned. */
  readonly metrics: { readonly [name: string]: number };
};

/**
 * Takes the stage's `epochs` optimizer steps on the groups that passed the filters.
 *
 * @throws WaggleError `NON_FINITE_VALUE` if a loss or gradient is not finite.
 */
export async function learningStep(
  engine: TrainEngine,
  recipe: EdgeRecipe,
  { groups, kept }: Pick<WaitingStep, "groups" | "kept">,
  options: LearningStepOptions,
): Promise<LearningStepResult> {
  const { betweenPasses = async () => {}, microbatchTokens, shuffleAdvantages, step } = options;
  const trajectories = groups.flatMap((group) => group.trajectories);
  const keys = new Map<TrainSequence, LearnableGroup>();
  for (const group of groups) {
    for (const { trajectory } of group.trajectories) {
      for (const { sequence } of trajectory.samples) keys.set(sequence, group);
    }
  }
  const { stage } = recipe;
  const passes = inPasses(engine, {
    tokens: microbatchTokens,
    keyOf: (sequence) => keys.get(sequence) ?? sequence,
    between: betweenPasses,
  });
  const bounds = {
    shares: options.shares ?? UNBOUNDED,
    present: options.present,
    earlier: options.earlier ?? [],
  };
  const dealt =
    shuffleAdvantages === null ? { stage, kept } : shuffledLabels(stage, kept, shuffleAdvantages);
  const bounded =
    stage.learns === "rewards"
      ? { engine: passes, ...withBoundedSenders(dealt.stage, trajectories, bounds) }
      : { stage: dealt.stage, ...withBoundedGradients(passes, trajectories, bounds) };
  const update = await updateFrom(
    bounded.engine,
    bounded.stage,
    dealt.kept,
    new Set(trajectories.map(({ trajectory }) => trajectory.id)),
    partContext(stage, step, options),
    options.reference === undefined ? {} : { reference: options.reference },
    new AbortController().signal,
  );
  const { numbers, dropped, state } = update;
  const digests = new Map(trajectories.map(({ digest, trajectory }) => [trajectory.id, digest]));
  const reasons = new Map([...dropped].map(([id, reason]) => [digests.get(id) ?? id, reason]));
  if (numbers === null) {
    return { advantages: new Map(), reasons, learnedFrom: null, state, metrics: {} };
  }
  const advantages = advantagesOf(numbers);
  const senders = bounded.result();
  const { rows } = numbers.minibatch;
  const rejected = rejectedIds(numbers);
  const requests = trajectories.filter(({ trajectory }) => !rejected.has(trajectory.id));
  return {
    advantages: meanByDigest(advantages, digests, stage.learns === "rewards"),
    reasons,
    learnedFrom: learnedInStep(recipe.name, numbers),
    state,
    influence: senders?.influence,
    hasFewSenders: senders?.hasFewSenders === true,
    metrics: {
      ...update.metrics,
      ...outcomeMetrics(requests, advantages),
      ...weightMetrics(requests),
      ...distances(numbers, trajectories),
      ...senders?.metrics,
      groups: groups.length,
      trainedTokens:
        stage.settings.epochs *
        rows.reduce((all, { sample }) => all + sample.sequence.tokenIds.length, 0),
    },
  };
}

function advantagesOf({ groups, advantages = new Map() }: UpdateNumbers): Map<string, number> {
  return new Map(
    groups
      .flatMap(({ trajectories }) => trajectories)
      .map((rewarded) => [rewarded.trajectory.id, meanAdvantage(rewarded, advantages)]),
  );
}

function meanByDigest(
  advantages: ReadonlyMap<string, number>,
  digests: ReadonlyMap<string, string>,
  hasAdvantages: boolean,
): Map<string, number | null> {
  const grouped = Map.groupBy(advantages, ([id]) => digests.get(id) ?? id);
  return new Map(
    [...grouped].map(([digest, all]) => [
      digest,
      hasAdvantages ? meanOrZero(all.map(([, value]) => value)) : null,
    ]),
  );
}

function outcomeMetrics(
  learned: readonly LearnableTrajectory[],
  advantages: ReadonlyMap<string, number>,
): { readonly [name: string]: number } {
  const trajectories = learned.map(({ trajectory }) => trajectory);
  const verdicts = trajectories.map(({ verification }) => givenVerdict(verification));
  return {
    trajectories: trajectories.length,
    rewardMean: meanOrZero(verdicts.map(({ reward }) => reward)),
    successRate: meanOrZero(verdicts.map(({ success }) => (success ? 1 : 0))),
    advantageAbsMean: meanOrZero([...advantages.values()].map(Math.abs)),
    sampledTokensMean: meanOrZero(trajectories.map(sampledTokens)),
    stalenessMean: meanOrZero(trajectories.map(({ staleness }) => staleness)),
    stalenessMax: Math.max(0, ...trajectories.map(({ staleness }) => staleness)),
  };
}

/** Weights of the verdicts on requests; nothing if no trajectory has one. */
function weightMetrics(learned: readonly LearnableTrajectory[]): {
  readonly [name: string]: number;
} {
  const weights = learned.map(({ trajectory }) => trajectory.verification.weight ?? 1);
  if (learned.every(({ trajectory }) => trajectory.verification.weight === undefined)) return {};
  return {
    feedbackWeightMin: Math.min(...weights),
    feedbackWeightMax: Math.max(...weights),
    feedbackEffectiveSamples: effectiveSamples(weights),
  };
}

/** How far the sampling policy was from the trained one. */
function distances(
  { minibatch, proximalLogProbs }: UpdateNumbers,
  trajectories: readonly LearnableTrajectory[],
): { readonly [name: string]: number } {
  const byId = new Map(trajectories.map((one) => [one.trajectory.id, one]));
  const { rows, lossMask, behaviorLogProbs } = minibatch;
  const found = rows.map(({ rewarded, index }) => {
    const trajectory = byId.get(rewarded.trajectory.id);
    return {
      rescored: trajectory?.rescoredLogProbs[index] ?? [],
      recorded: trajectory?.trajectory.samples[index]?.behaviorLogProbs ?? [],
    };
  });
  return offPolicyMetrics(
    { lossMask, proximalLogProbs, behaviorLogProbs },
    {
      recorded: found.map(({ recorded }) => recorded),
      rescored: found.map(({ rescored }) => rescored),
    },
  );
}
