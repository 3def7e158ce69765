/**
 * The base policy of an environment: a small decoder trained on demonstrations with mistakes. It acts in the
 * environment's format and fails often enough to leave room for learning. It is trained once per environment
 * and stored as a Hugging Face model folder.
 */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createOnnxEngine } from "@waggle/engine";
import type { EnvironmentSpec } from "@waggle/environments";
import { cosineRate } from "@waggle/learning";
import {
  type DecoderConfig,
  decoderConfigJson,
  initializeDecoder,
  parameterCount,
  writeSafetensors,
} from "@waggle/model";
import { toTrainingSamples } from "@waggle/protocol";
import { z } from "zod";
import {
  type CheckpointKind,
  type Checkpoints,
  openCheckpoints,
  type Settings,
} from "../checkpoint/checkpoint.ts";
import { canonical } from "../checkpoint/run-settings.ts";
import { writeTrainingTemplate } from "../files/training-template.ts";
import { openMetricsLog } from "../metrics/metrics-log.ts";
import { type BaseModel, readBaseModel } from "../model/base-model.ts";
import { runSupervised } from "../training/supervised-run.ts";
import { baseDemonstration, HABIT } from "./base-demonstration.ts";
import { habitOf } from "./base-habit.ts";
import { hasListedValues } from "./listed-values.ts";
import { demonstrationsDigest, trainEnvironmentText } from "./environment-text.ts";

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

/** Settings that a user chooses. */
export type ChosenBase = {
  readonly [setting in "steps" | "seed" | "mistakes" | "habits"]?: number | undefined;
};

/**
 * The recipe of an environment's base. Built-in environments have the default settings of tables and tests.
 *
 * @param chosen - `habits` is a share of the demonstrations of all patterns; 0 means no habit
 */
export function baseRecipe(
  spec: EnvironmentSpec,
  { steps, seed, mistakes, habits }: ChosenBase = {},
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

/** Progress as a line of text. */
export function baseText(environment: string, { step, steps, ...of }: BaseProgress): string {
  const { loss, tokensPerSecond } = of;
  return `base of ${environment}, made once  ${step}/${steps}  loss ${loss.toFixed(4)}  ${tokensPerSecond.toFixed(0)} tokens/s`;
}

/** The file that records how a base was made. */
export const BASE_RECORD = "base.json";
const PEAK_LEARNING_RATE = 4e-3;
const WARM_UP_STEPS = 50;
const TEXT_DEMONSTRATIONS = 1000;

/** Progress of training a base. */
export type BaseProgress = {
  readonly step: number;
  readonly steps: number;
  readonly loss: number;
  readonly tokensPerSecond: number;
};

export type EnvironmentBaseOptions = {
  /** Steps between two checkpoints; default 100. */
  readonly saveEvery?: number | undefined;
  /** Whether TensorBoard event files are written beside the metrics; default not. */
  readonly tensorboard?: boolean | undefined;
};

/**
 * Reads the base of an environment from `folder`, or makes it there if there is none or it has
 * another recipe. Changes of the demonstrations are detected in environments of the user only: remove the
 * folder of a built-in environment after one.
 */
export async function environmentBase(
  spec: EnvironmentSpec,
  folder: string,
  given: EnvironmentBaseRecipe,
  onProgress: (progress: BaseProgress) => void,
  signal: AbortSignal,
  options: EnvironmentBaseOptions = {},
): Promise<BaseModel> {
  const { contextLength = given.contextLength } = spec;
  const recipe = { ...given, contextLength };
  const record = await recordOf(spec, recipe);
  if (!(await isBuiltBy(folder, record))) {
    // Written atomically: an interrupted run leaves no partial model, and the next one goes on with it.
    const unfinished = `${folder}.unfinished`;
    await makeBase(spec, unfinished, recipe, record, onProgress, signal, options);
    await mkdir(dirname(folder), { recursive: true });
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  }
  return readBaseModel(folder);
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

async function isBuiltBy(folder: string, record: object): Promise<boolean> {
  const file = join(folder, BASE_RECORD);
  // A model that a user put there is kept.
  if (!existsSync(file)) return existsSync(join(folder, "config.json"));
  const { parameters: _, ...found } = JSON.parse(await readFile(file, "utf8")) as {
    readonly parameters: number;
  };
  return isDeepStrictEqual(found, record);
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

const BASE: CheckpointKind<Record<string, never>> = {
  name: "base",
  state: z.strictObject({}),
  startOver: "by deleting the folder",
};
/** The checkpoint of an interrupted run with the same recipe. */
async function foundIn(checkpoints: Checkpoints<Record<string, never>>, settings: Settings) {
  // A damaged checkpoint costs a minute of training, so it is not worth an error.
  const found = await checkpoints.load().catch(() => null);
  return found !== null && isDeepStrictEqual(found.settings, settings) ? found : null;
}

async function makeBase(
  spec: EnvironmentSpec,
  folder: string,
  recipe: EnvironmentBaseRecipe,
  record: object,
  onProgress: (progress: BaseProgress) => void,
  signal: AbortSignal,
  { saveEvery = 100, tensorboard }: EnvironmentBaseOptions,
): Promise<void> {
  const { seed, steps, batchSize } = recipe;
  const { habitPatterns, habit = HABIT } = recipe;
  const patternHabit =
    habitPatterns === undefined ? undefined : await habitOf(spec, habitPatterns, habit);
  const demonstration = { ...recipe, patternHabit };
  const text = await trainEnvironmentText(spec, { ...recipe, count: TEXT_DEMONSTRATIONS });
  const config = configOf(recipe, text.tokenizer.vocabularySize);
  const engine = await createOnnxEngine({
    config,
    weights: initializeDecoder(config, seed),
    trains: "full",
  });
  const rate = cosineRate({
    rate: PEAK_LEARNING_RATE,
    warmUpSteps: WARM_UP_STEPS,
    totalSteps: steps,
    floor: PEAK_LEARNING_RATE / 30,
  });
  const checkpoints = openCheckpoints(folder, BASE);
  const settings = canonical({ ...record });
  const startedAt = performance.now();
  let tokens = 0;
  try {
    const found = await foundIn(checkpoints, settings);
    const saved = found?.engines.get("policy");
    if (saved !== undefined) await engine.load(saved);
    const metrics = await openMetricsLog(folder, { tensorboard, from: found?.step ?? null });
    const done = await runSupervised({
      engine,
      steps,
      from: found?.step ?? 0,
      keeper: {
        every: saveEvery,
        save: async (step) => {
          await metrics.settled();
          const engines = new Map([["policy", await engine.save()]]);
          await checkpoints.commit({ settings, step, engines, state: {}, values: null });
        },
      },
      learningRate: rate,
      optimizer: { weightDecay: 0.05, maxGradientNorm: 1 },
      signal,
      batchAt: async (step) => {
        const samples = [];
        for (let i = step * batchSize; i < (step + 1) * batchSize; i += 1) {
          const shown = await baseDemonstration(spec, text.chat, i, demonstration);
          samples.push(...toTrainingSamples(shown));
        }
        return {
          sequences: samples.map(({ sequence }) => sequence),
          lossMask: samples.map(({ lossMask }) => lossMask),
        };
      },
      isMeasured: (step) => step % 100 === 99 || step + 1 === steps,
      onStep: (step, { loss, gradientNorm }, { sequences }) => {
        tokens += sequences.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
        if (loss === null) return;
        const seconds = (performance.now() - startedAt) / 1000;
        const tokensPerSecond = tokens / seconds;
        const learningRate = rate(step - 1);
        const numbers = { loss, gradientNorm, learningRate, tokensPerSecond };
        metrics.add({ event: "step", step, metrics: numbers });
        onProgress({ step, steps, loss, tokensPerSecond });
      },
    });
    if (done < steps) signal.throwIfAborted();
    await metrics.settled();
    await checkpoints.clear();
    const [stopTokenId] = text.chat.stopTokenIds;
    const json: { readonly [file: string]: unknown } = {
      "config.json": { ...decoderConfigJson(config), eos_token_id: stopTokenId },
      "tokenizer.json": text.tokenizerJson,
      "tokenizer_config.json": text.tokenizerConfig,
      [BASE_RECORD]: { ...record, parameters: parameterCount(config) },
    };
    for (const [file, value] of Object.entries(json)) {
      await writeFile(join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
    }
    await writeTrainingTemplate(folder, text.tokenizerConfig);
    const weights = writeSafetensors(await engine.parameters(), { format: "pt" }, "F32");
    await writeFile(join(folder, "model.safetensors"), weights);
  } finally {
    await engine.dispose();
  }
}
