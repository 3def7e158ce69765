/**
 * The base policy of an environment: a small decoder trained on demonstrations with mistakes. It acts in the
 * environment's format and fails often enough to leave room for learning. It is trained once per environment
 * and stored as a Hugging Face model folder.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import { type DecoderConfig, initializeDecoder } from "@waggle/model";
import type { Trajectory } from "@waggle/protocol";
import type { BaseModel } from "../model/base-model.ts";
import { baseDemonstration, HABIT } from "./base-demonstration.ts";
import { habitOf } from "./base-habit.ts";
import { type BaseRun, type BaseStart, keptBase } from "./base-training.ts";
import { demonstrationsDigest, trainEnvironmentText } from "./environment-text.ts";
import type { NanoText } from "./nano-text.ts";
import { hasListedValues } from "./listed-values.ts";

/**
 * The settings of a base, besides its environment's demonstrations. Any change gives another base.
 */
export type EnvironmentBaseRecipe = {
  readonly seed: number;
  readonly steps: number;
  /** Demonstrations per optimizer step. */
  readonly batchSize: number;
  readonly mistakes: number;
  /** Share of demonstrations that always err in the same way; absent = none. */
  readonly habits?: number;
  /** Seed that decides how the habit errs at each level; absent = the default of `baseDemonstration`. */
  readonly habit?: number;
  /** Share of the training patterns in which demonstrations have the habit; absent = all. */
  readonly habitPatterns?: number;
  readonly vocabularySize: number;
  readonly contextLength: number;
  readonly width: number;
  readonly layers: number;
};

/** Default settings of environment bases. */
export const ENVIRONMENT_BASE: EnvironmentBaseRecipe = {
  seed: 20_261_121,
  steps: 700,
  batchSize: 32,
  mistakes: 0.35,
  vocabularySize: 384,
  contextLength: 512,
  width: 96,
  layers: 3,
};

/** What differs in the bases of a user's environments, so that greedy decoding does not remove most mistakes. */
const OWN_BASE = { mistakes: 0.1, habits: 0.85, habitPatterns: 0.5 } as const;

/** Most steps of a default recipe. */
const MOST_STEPS = 2100;

/**
 * What differs if the values of requests come from lists. A base learns such values late, and habits would take the steps
 * that copying needs. It fails often enough without mistakes.
 */
const LISTED_BASE = { mistakes: 0, steps: MOST_STEPS } as const;

/** Steps for a context length. With longer tasks, a base needs more steps until it copies names that it has never read. */
function stepsFor(contextLength: number): number {
  const { steps, contextLength: short } = ENVIRONMENT_BASE;
  return Math.min(MOST_STEPS, Math.round(steps * Math.max(1, contextLength / short) ** 2));
}

/** Settings of such a base that a user chooses. */
export type OwnBase = {
  readonly [setting in "steps" | "seed" | "mistakes" | "habits"]?: number | undefined;
};

/**
 * The recipe of an environment's base. Built-in environments have the default settings of tables and tests.
 *
 * @param chosen - `habits` is a share of the demonstrations of all patterns; 0 means no habit
 */
export function baseRecipe(
  spec: EnvironmentSpec,
  { steps, seed, mistakes, habits }: OwnBase = {},
): EnvironmentBaseRecipe {
  const own = spec.source === undefined ? {} : ownBase(spec);
  const { habits: _, habitPatterns: __, ...withoutHabits }: Partial<EnvironmentBaseRecipe> = own;
  return {
    ...ENVIRONMENT_BASE,
    ...(habits === undefined ? own : withoutHabits),
    // A base without habits records none.
    ...(habits !== undefined && habits > 0 && { habits }),
    ...(steps !== undefined && { steps }),
    ...(seed !== undefined && { seed }),
    ...(mistakes !== undefined && { mistakes }),
  };
}

function ownBase(spec: EnvironmentSpec): Partial<EnvironmentBaseRecipe> {
  if (hasListedValues(spec)) return LISTED_BASE;
  const { contextLength = ENVIRONMENT_BASE.contextLength } = spec;
  return { ...OWN_BASE, steps: stepsFor(contextLength) };
}

const PEAK_LEARNING_RATE = 4e-3;
const TEXT_DEMONSTRATIONS = 1000;

/**
 * Reads the base of an environment from `folder`, or makes it there if there is none or it has another recipe. Changes
 * of the demonstrations are detected in environments of the user only: remove the folder of a built-in environment
 * after one.
 */
export async function environmentBase(
  spec: EnvironmentSpec,
  folder: string,
  given: EnvironmentBaseRecipe,
  run: BaseRun,
): Promise<BaseModel> {
  const { contextLength = given.contextLength } = spec;
  const recipe = { ...given, contextLength };
  return keptBase(folder, await recordOf(spec, recipe), () => startOf(spec, recipe), run);
}

/** The recorded recipe of a base. */
async function recordOf(spec: EnvironmentSpec, recipe: EnvironmentBaseRecipe): Promise<object> {
  const { name, reading, source } = spec;
  return {
    spec: name,
    ...recipe,
    ...(reading === undefined ? {} : { mistakes: reading.mistakes, reading: reading.share }),
    ...(source === undefined ? {} : { demonstrations: await demonstrationsDigest(spec, recipe) }),
  };
}

/** The tokenizer and the chat format of a base, trained on its demonstrations. */
export function environmentBaseText(
  spec: EnvironmentSpec,
  recipe: EnvironmentBaseRecipe,
): Promise<NanoText> {
  return trainEnvironmentText(spec, { ...recipe, count: TEXT_DEMONSTRATIONS });
}

/** Random weights, a tokenizer of the demonstrations, and the demonstrations themselves. */
async function startOf(spec: EnvironmentSpec, recipe: EnvironmentBaseRecipe): Promise<BaseStart> {
  const { seed, steps, batchSize, habitPatterns, habit = HABIT } = recipe;
  const patternHabit =
    habitPatterns === undefined ? undefined : await habitOf(spec, habitPatterns, habit);
  const demonstration = { ...recipe, patternHabit };
  const text = await environmentBaseText(spec, recipe);
  const config = configOf(recipe, text.tokenizer.vocabularySize);
  return {
    config,
    weights: initializeDecoder(config, seed),
    text,
    steps,
    peakLearningRate: PEAK_LEARNING_RATE,
    demonstrations: async (step) => {
      const shown: Trajectory[] = [];
      for (let i = step * batchSize; i < (step + 1) * batchSize; i += 1) {
        shown.push(await baseDemonstration(spec, text.chat, i, demonstration));
      }
      return shown;
    },
  };
}

function configOf(recipe: EnvironmentBaseRecipe, vocabularySize: number): DecoderConfig {
  const heads = recipe.width / 32;
  return {
    modelType: "qwen3",
    vocabularySize,
    width: recipe.width,
    layers: recipe.layers,
    heads,
    keyValueHeads: heads,
    headSize: 32,
    feedForwardSize: 2 * recipe.width,
    ropeTheta: 10_000,
    rmsNormEpsilon: 1e-6,
    tiedEmbeddings: true,
    contextLength: recipe.contextLength,
    ropeScaling: null,
  };
}
