/**
 * Recipes for training from an edge: a single stage that learns from the rewards of rollouts made
 * by pages, or from visitors' feedback on them. Pages start each task from its beginning. They do not
 * branch, demonstrate, continue stored trajectories or choose tasks, and they run no second model. The
 * reference model is the base. `npm run train` runs all other recipes.
 */
import {
  type FeedbackWeights,
  type JudgedTrajectory,
  type LearningRate,
  type Recipe,
  RECIPES,
  recipeNamed,
  type Settings,
  settingsAt,
  type Stage,
  toJudgedTrajectory,
} from "@waggle/learning";
import { entropyBonus, rate, reference } from "@waggle/learning/parts";
import { type OptimizerOptions, WaggleError } from "@waggle/protocol";
import { feedbackWeights, simpleRewards } from "./feedback-weights.ts";
import { partContext } from "./part-context.ts";
import {
  learningNeeded,
  rewardNeeded,
  rolloutNeeded,
  scheduleNeeded,
  sentence,
  stateNeeded,
} from "./edge-misfit-text.ts";

/** A recipe that can train from an edge, what it learns from, and its staleness limit. */
export type EdgeRecipe = {
  readonly name: string;
  readonly stage: Stage;
  /** Weights of the feedback on visitors' own requests; `null` = it learns from assigned tasks that a verifier judges. */
  readonly feedback: FeedbackWeights | null;
  /** Maximum staleness in published versions; older trajectories are left out. */
  readonly maxStaleness: number;
};

/**
 * Settings that a command line can override for any recipe; an absent one keeps the recipe's value.
 */
export type EdgeSettings = {
  readonly learningRate?: LearningRate | undefined;
  /** Groups with a reward signal per minibatch. */
  readonly groupsPerStep?: number | undefined;
  /** Optimizer steps per minibatch, ≥ 1. With 1 the importance ratio is always 1. */
  readonly epochs?: number | undefined;
  readonly maxStaleness?: number | undefined;
  /** Coefficient of an entropy bonus added to the recipe's losses; default 0 = none. */
  readonly entropyCoefficient?: number | undefined;
  /** Coefficient of a KL term to the base model in the loss; default 0 = none. */
  readonly klCoefficient?: number | undefined;
  readonly optimizer?: Omit<OptimizerOptions, "learningRate"> | undefined;
  /** Settings specific to the recipe, by name. */
  readonly own?: Settings | undefined;
};

/** Recipe of a command that names none. */
export const DEFAULT_EDGE_RECIPE = "dr-grpo-tis";

/** Maximum staleness, in versions, of recipes that expect a stale sampler, of those that accept late feedback, and of all others. */
const MAX_STALENESS = { stale: 4, lateFeedback: 64, other: 1 };

/**
 * @throws WaggleError `INVALID_ARGUMENT` naming what pages cannot do and the recipes that fit; for
 *   an unknown name, the known names.
 */
export function edgeRecipeNamed(name: string, settings: EdgeSettings = {}): EdgeRecipe {
  const recipe = recipeNamed(name)(settings.own);
  const misfits = edgeMisfits(recipe);
  const [stage] = recipe.stages;
  if (stage === undefined || misfits.length > 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `recipe ${recipe.name} cannot train from an edge: ${sentence(misfits)}. Choose one of ${edgeRecipeNames().join(", ")}, or run it with npm run train`,
    );
  }
  return {
    name: recipe.name,
    stage: withSettings(stage, settings),
    feedback: feedbackWeights(stage),
    maxStaleness: settings.maxStaleness ?? MAX_STALENESS[sampledBy(stage)],
  };
}

/**
 * Feedback may come days after the answer. Losses with importance weights correct for the versions in between. Labels and
 * pairs need none: their losses compare with the base model, whichever version sampled.
 */
function sampledBy(stage: Stage): keyof typeof MAX_STALENESS {
  if (stage.rollout.expectsStaleness === true) return "stale";
  const isCorrected =
    stage.learns !== "rewards" || stage.losses.every(({ loss }) => loss.corrects === true);
  return feedbackWeights(stage) !== null && isCorrected ? "lateFeedback" : "other";
}

/** Names of the recipes that can train from an edge. */
export function edgeRecipeNames(): string[] {
  return [...RECIPES.values()]
    .filter((create) => edgeMisfits(create()).length === 0)
    .map(({ recipeName }) => recipeName);
}

/** The reasons why a recipe cannot train from an edge; empty if it can. */
export function edgeMisfits({ stages, rounds }: Recipe): string[] {
  const [stage] = stages;
  if (stage === undefined) return ["has no stage"];
  if (stages.length > 1 || rounds > 1) {
    return [
      ...(stages.length > 1 ? [`has ${stages.length} stages`] : []),
      ...(rounds > 1 ? [`has ${rounds} rounds`] : []),
    ];
  }
  // Pages roll out with the perturbations, and send the rewards.
  if (stage.learns === "scores") return [];
  if (stage.learns !== "rewards" && !learnsFromFeedback(stage)) {
    return [learningNeeded(stage.learns)];
  }
  const misfits: string[] = [];
  for (const { part, onlyStatistics } of Object.values(stage.state)) {
    // Data of visitors is never kept after its deletion.
    if (onlyStatistics !== true && part !== "ref") misfits.push(stateNeeded(part));
  }
  for (const { part, chooseTasks } of stage.filters) {
    if (chooseTasks !== undefined) misfits.push(`chooses tasks (${part})`);
  }
  if (misfits.length > 0) return misfits;
  const strategy = stage.rollout.strategy(partContext(stage, 0));
  if (strategy.runsInPages !== true) misfits.push(rolloutNeeded(stage.rollout.part));
  for (const name of ["maxTurns", "difficulty", "taskPool"] as const) {
    if ([0, stage.steps - 1].some((step) => isSet(stage, step, name))) {
      misfits.push(scheduleNeeded(name));
    }
  }
  const unrewarded = unjudgeableReason(stage);
  if (unrewarded !== null) misfits.push(unrewarded);
  return misfits;
}

/** Whether feedback labels its trajectories, or makes pairs of them. */
function learnsFromFeedback(stage: Stage): boolean {
  return (stage.learns === "tokens" || stage.learns === "pairs") && feedbackWeights(stage) !== null;
}

/** Why a reward part cannot judge a rollout given only the fields that every verifier reports. */
function unjudgeableReason(stage: Stage): string | null {
  for (const reward of simpleRewards(stage)) {
    const judged = reward.feedback === undefined ? SILENT : LIKED;
    try {
      void reward.rewards({ task: "any", trajectories: [judged] }, partContext(stage, 0));
    } catch (error) {
      if (!WaggleError.is(error)) throw error;
      return rewardNeeded(reward.part, error.message);
    }
  }
  return null;
}

/** A trajectory that ended immediately. */
const SILENT: JudgedTrajectory = toJudgedTrajectory(
  {
    schemaVersion: 1,
    id: "00000000-0000-0000-0000-000000000000",
    task: null,
    assignmentId: null,
    consent: { version: "none", scopes: [], grantedAt: "2026-01-01T00:00:00.000Z" },
    client: { build: "0", backend: "scripted", device: "none", crossOriginIsolated: false },
    baseModel: "0".repeat(64),
    policyVersion: 0,
    segments: [],
    turns: [],
    stopReason: "completed",
    terminated: true,
    truncated: false,
    startedAt: "2026-01-01T00:00:00.000Z",
    endedAt: "2026-01-01T00:00:00.000Z",
  },
  { reward: 0, success: false, parts: { request: "", text: "" } },
);

/** The same, with feedback of every kind. */
const LIKED: JudgedTrajectory = {
  ...SILENT,
  verification: {
    reward: 1,
    success: true,
    parts: {
      thumb: "up",
      "outcome:any": true,
      message: "next-corrects",
      correction: "No.",
      undo: true,
      edit: "Yes.",
      staff: "Yes.",
      retry: "kept",
    },
  },
};

function isSet(stage: Stage, step: number, name: "maxTurns" | "difficulty" | "taskPool"): boolean {
  return settingsAt(stage, partContext(stage, step))[name] !== undefined;
}

function withSettings(
  stage: Stage,
  {
    learningRate,
    groupsPerStep,
    epochs,
    entropyCoefficient = 0,
    klCoefficient = 0,
    optimizer,
  }: EdgeSettings,
): Stage {
  return {
    ...stage,
    ...(klCoefficient === 0 ? {} : withBaseKl(stage, klCoefficient)),
    losses:
      entropyCoefficient === 0
        ? stage.losses
        : [...stage.losses, { loss: entropyBonus(entropyCoefficient), weight: 1 }],
    schedule:
      learningRate === undefined ? stage.schedule : [...stage.schedule, rate(() => learningRate)],
    settings: {
      ...stage.settings,
      ...(groupsPerStep === undefined ? {} : { tasksPerStep: groupsPerStep }),
      ...(epochs === undefined ? {} : { epochs }),
    },
    optimizer: { ...stage.optimizer, ...optimizer },
  };
}

/**
 * A KL term to the base model. The value of k3 is never negative, and the gradient of k2 is the divergence's own (Tang and
 * Munos 2025, arXiv:2506.09477). No recipe that can train from an edge has one of its own.
 */
function withBaseKl(stage: Stage, coefficient: number): Pick<Stage, "kl" | "state"> {
  return {
    kl: { in: "loss", coefficient, estimator: "k3-with-k2-gradient" },
    state: { ...stage.state, ref: reference },
  };
}
