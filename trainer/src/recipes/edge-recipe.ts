/**
 * Recipes as the loop over an edge runs them: one stage that learns from rewards of attempts that pages
 * made by themselves. Pages roll a task out from its start, as often as the edge assigns it; they do not
 * branch, demonstrate, go on from stored attempts or choose tasks, and no second model is opened for
 * them. `npm run train` runs the others.
 */
import {
  type JudgedTrajectory,
  type LearningRate,
  type Recipe,
  RECIPES,
  recipeNamed,
  type RewardPart,
  type Settings,
  settingsAt,
  type Stage,
  type StateName,
  toJudgedTrajectory,
} from "@waggle/learning";
import { entropyBonus, rate } from "@waggle/learning/parts";
import { type OptimizerOptions, WaggleError } from "@waggle/protocol";
import { strategyOf } from "../strategies/registry.ts";
import { partContext } from "../check/learnable-group.ts";

export type EdgeRecipe = {
  readonly name: string;
  readonly stage: Stage;
  /** Published versions between the sampling policy and the newest; older attempts are left out. */
  readonly maxStaleness: number;
};

/** What a command line may set on any recipe; what is absent stays the recipe's. */
export type EdgeSettings = {
  readonly learningRate?: LearningRate | undefined;
  /** Groups with a signal in one minibatch. */
  readonly groupsPerStep?: number | undefined;
  /** Optimizer steps on each minibatch, ≥ 1. With 1 the importance ratio is always 1. */
  readonly epochs?: number | undefined;
  readonly maxStaleness?: number | undefined;
  /** Coefficient of an entropy bonus beside the recipe's losses; default 0 = none. */
  readonly entropyCoefficient?: number | undefined;
  readonly optimizer?: Omit<OptimizerOptions, "learningRate"> | undefined;
  /** The recipe's own settings, by name. */
  readonly own?: Settings | undefined;
};

export const DEFAULT_EDGE_RECIPE = "dr-grpo-tis";

/** How old attempts may be: where the recipe says that its sampler lags, and where it does not. */
const MAX_STALENESS = { lagging: 4, other: 1 };

/** State that is plain values about rewards. What visitors did is never kept past their deletion. */
const KEPT_STATE: ReadonlySet<string> = new Set(["baseline"]);

/**
 * @throws WaggleError `INVALID_ARGUMENT` naming what pages cannot carry out, with the recipes that they
 *   can; an unknown name is answered with the names that there are.
 */
export function edgeRecipeNamed(name: string, settings: EdgeSettings = {}): EdgeRecipe {
  const recipe = recipeNamed(name)(settings.own);
  const misfits = edgeMisfits(recipe);
  const [stage] = recipe.stages;
  if (stage === undefined || misfits.length > 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a recipe of the loop must be one stage that learns from the rewards of pages' own attempts, got ${recipe.name}: ${misfits.join("; ")}; choose one of ${edgeRecipeNames().join(", ")}, or run it with npm run train`,
    );
  }
  return {
    name: recipe.name,
    stage: withSettings(stage, settings),
    maxStaleness:
      settings.maxStaleness ??
      (stage.rollout.part === "async" ? MAX_STALENESS.lagging : MAX_STALENESS.other),
  };
}

/** Names of the catalogue's recipes that fit. */
export function edgeRecipeNames(): string[] {
  return [...RECIPES.values()]
    .filter((create) => edgeMisfits(create()).length === 0)
    .map(({ recipeName }) => recipeName);
}

/** What the loop over an edge cannot carry out of a recipe; empty where it fits. */
export function edgeMisfits({ stages, rounds }: Recipe): string[] {
  const [stage] = stages;
  if (stage === undefined || stages.length > 1 || rounds > 1) {
    return [`${stages.length} stages in ${rounds} round${rounds === 1 ? "" : "s"}`];
  }
  if (stage.learns !== "rewards") return [`a stage that learns from ${stage.learns}`];
  const misfits: string[] = [];
  for (const { part } of Object.values(stage.state)) {
    if (!KEPT_STATE.has(part)) misfits.push(`state ${part}`);
  }
  for (const { part, chooseTasks } of stage.filters) {
    if (chooseTasks !== undefined) misfits.push(`filter ${part} chooses tasks`);
  }
  if (misfits.length > 0) return misfits;
  const plan = stage.rollout.plan(partContext(stage, 0));
  if (strategyOf(plan).runsInPages?.(plan) !== true) misfits.push(`rollout ${stage.rollout.part}`);
  for (const name of ["maxTurns", "difficulty", "taskPool"] as const) {
    if ([0, stage.steps - 1].some((step) => isSet(stage, step, name))) {
      misfits.push(`a schedule of ${name}`);
    }
  }
  const unrewarded = unjudgeableReason(stage);
  if (unrewarded !== null) misfits.push(unrewarded);
  return misfits;
}

/** Why a reward cannot score an attempt of which no more is known than every verifier says. */
function unjudgeableReason(stage: Stage): string | null {
  for (const reward of stage.reward === null ? [] : simpleRewards(stage.reward)) {
    try {
      void reward.rewards({ task: "any", trajectories: [SILENT] }, partContext(stage, 0));
    } catch (error) {
      if (!WaggleError.is(error)) throw error;
      return `reward ${reward.part}: ${error.message.split(", got")[0]}`;
    }
  }
  return null;
}

/** What a reward is joined of; itself where it is not. */
function simpleRewards(reward: RewardPart<StateName>): RewardPart<StateName>[] {
  const joined = (reward.around ?? []).filter(
    (part): part is RewardPart<StateName> => "rewards" in part,
  );
  return joined.length === 0 ? [reward] : joined.flatMap(simpleRewards);
}

/** An attempt that ended at once. */
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

function isSet(stage: Stage, step: number, name: "maxTurns" | "difficulty" | "taskPool"): boolean {
  return settingsAt(stage, partContext(stage, step))[name] !== undefined;
}

function withSettings(
  stage: Stage,
  { learningRate, groupsPerStep, epochs, entropyCoefficient = 0, optimizer }: EdgeSettings,
): Stage {
  return {
    ...stage,
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
