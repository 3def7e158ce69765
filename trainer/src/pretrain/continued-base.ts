/**
 * A base that goes on from a model, such as the default model. It learns the environment's demonstrations, none of which
 * errs on purpose, and between them tasks with invented tools, so that it goes on reading descriptions of tools and
 * copying values out of requests. The tokenizer, the chat template and the context stay the model's.
 */
import { resolve } from "node:path";
import type { EnvironmentSpec } from "@waggle/environments";
import { WaggleError } from "@waggle/protocol";
import type { BaseModel } from "../model/base-model.ts";
import { type BaseRun, type BaseStart, keptBase } from "./base-training.ts";
import { continuedDemonstrations } from "./continued-demonstrations.ts";
import { type EarlierModel, earlierModel } from "./earlier-model.ts";
import { demonstrationsDigest } from "./environment-text.ts";

/** The settings of a base that goes on from a model. Any change gives another base. */
export type ContinuedRecipe = {
  /** Content hash of the model. */
  readonly from: string;
  readonly seed: number;
  readonly steps: number;
  /** Demonstrations per optimizer step. */
  readonly batchSize: number;
  /** Of this many demonstrations, the last has invented tools. */
  readonly inventedEvery: number;
  readonly peakLearningRate: number;
  /** Of the environment's first demonstrations, as the model reads them. */
  readonly demonstrations: string;
};

/** Default settings. */
export const CONTINUED_BASE: Omit<ContinuedRecipe, "from" | "demonstrations"> = {
  seed: 20_261_128,
  steps: 700,
  batchSize: 16,
  inventedEvery: 4,
  peakLearningRate: 1e-3,
};

const MAX_MICROBATCH_TOKENS = 2048;

/**
 * Reads the base in `folder`, or makes it there from the model in `from`.
 *
 * @throws WaggleError as `earlierModel`, `INVALID_ARGUMENT` if both folders are the same, and `CONTEXT_OVERFLOW` if a
 *   demonstration is longer than the model's context.
 */
export async function continuedBase(
  given: EnvironmentSpec,
  folder: string,
  from: string,
  chosen: { readonly steps?: number | undefined; readonly seed?: number | undefined },
  run: BaseRun,
): Promise<{ readonly model: BaseModel; readonly recipe: ContinuedRecipe }> {
  if (resolve(from) === resolve(folder)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `error: the base would replace the model that it goes on from, because both are in ${folder}; choose another folder`,
    );
  }
  // Lessons in reading err outside of the lessons.
  const { reading: _, ...spec } = given;
  const earlier = await earlierModel(from);
  const { steps = CONTINUED_BASE.steps, seed = CONTINUED_BASE.seed } = chosen;
  const { contextLength } = earlier.config;
  const options = { seed, mistakes: 0, contextLength };
  const demonstrations = await demonstrationsDigest(spec, options, earlier.text);
  const recipe = { ...CONTINUED_BASE, from: earlier.sha256, steps, seed, demonstrations };
  const record = { spec: spec.name, ...recipe };
  const model = await keptBase(folder, record, () => startOf(spec, recipe, earlier), run);
  return { model, recipe };
}

async function startOf(
  spec: EnvironmentSpec,
  recipe: ContinuedRecipe,
  { config, weights, text }: EarlierModel,
): Promise<BaseStart> {
  const { contextLength } = config;
  const demonstrations = continuedDemonstrations(spec, text.chat, { ...recipe, contextLength });
  await demonstrations.check();
  return {
    config,
    weights: await weights(),
    text,
    steps: recipe.steps,
    peakLearningRate: recipe.peakLearningRate,
    optimizer: { matrices: "muon", beta2: 0.95 },
    maxMicrobatchTokens: MAX_MICROBATCH_TOKENS,
    demonstrations: demonstrations.ofStep,
  };
}
