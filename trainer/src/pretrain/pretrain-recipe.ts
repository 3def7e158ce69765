/**
 * The recipes of models trained from scratch with `train-base`: shape, tokenizer, optimizer settings and amount of data.
 * Any change gives another model.
 */
import type { DecoderConfig } from "@waggle/model";
import { DESCRIBED_TOOLS_TEMPLATE, NANO_CHAT_TEMPLATE } from "@waggle/text";
import type { ModelSize } from "../checkpoint/pretraining-checkpoint.ts";

/** What distinguishes the models. */
export type PretrainRecipe = {
  readonly shape: Pick<
    DecoderConfig,
    "width" | "layers" | "heads" | "keyValueHeads" | "feedForwardSize" | "contextLength"
  >;
  /** Upper limit of the vocabulary in tokens. */
  readonly vocabularySize: number;
  /** As in `BpeTrainerOptions`. */
  readonly wordsAlone: boolean;
  readonly chatTemplate: string;
  /** Number of training demonstrations that the tokenizer is trained on. */
  readonly tokenizerDemonstrations: number;
  /** Loss weight of a token by its speaker; others weigh nothing. Absent = `LOSS_WEIGHTS`. */
  readonly lossWeights?: { readonly [role: string]: number };
  /** Demonstrations per optimizer step. */
  readonly demonstrationsPerStep: number;
  /** Optimizer steps unless the user chooses others. */
  readonly steps: number;
  readonly peakLearningRate: number;
  /** The same for a run that goes on from a model: at the other one, a trained model first gets worse. Absent = the other one. */
  readonly continuedLearningRate?: number;
  /** What updates the matrices of the layers. */
  readonly matrices: "adamw" | "muon";
  /**
   * First steps, on tasks of the environment's second level if there is one. A model that has learned to copy from short tasks learns the
   * others in fewer steps.
   */
  readonly exerciseSteps: number;
  /** As in `EngineOptions`; another limit adds gradients in another order. Default: the engine's. */
  readonly maxMicrobatchTokens?: number;
};

/** Loss weights of the nano model, and of default models before they were recorded. Predicting tools' answers teaches copying. */
export const LOSS_WEIGHTS: { readonly [role: string]: number } = {
  assistant: 1,
  tool: 0.2,
  user: 0.05,
};

/** The nano model, 1.1 M parameters: fast, and it knows only the wordings of its environment. */
export const NANO: PretrainRecipe = {
  shape: {
    width: 128,
    layers: 5,
    heads: 4,
    keyValueHeads: 2,
    feedForwardSize: 384,
    contextLength: 512,
  },
  vocabularySize: 1024,
  wordsAlone: false,
  chatTemplate: NANO_CHAT_TEMPLATE,
  tokenizerDemonstrations: 4000,
  demonstrationsPerStep: 16,
  steps: 5000,
  peakLearningRate: 3e-3,
  matrices: "adamw",
  exerciseSteps: 0,
};

const SHAPES: { readonly [size in ModelSize]: PretrainRecipe["shape"] } = {
  small: {
    width: 128,
    layers: 4,
    heads: 4,
    keyValueHeads: 4,
    feedForwardSize: 384,
    contextLength: 1024,
  },
  medium: {
    width: 192,
    layers: 6,
    heads: 6,
    keyValueHeads: 6,
    feedForwardSize: 512,
    contextLength: 1024,
  },
  large: {
    width: 256,
    layers: 8,
    heads: 8,
    keyValueHeads: 8,
    feedForwardSize: 704,
    contextLength: 1024,
  },
};

/** The recipe of the default model in a size: it reads descriptions of tools, and copies words from requests. */
function defaultRecipe(size: ModelSize): PretrainRecipe {
  return {
    shape: SHAPES[size],
    vocabularySize: 2048,
    wordsAlone: true,
    chatTemplate: DESCRIBED_TOOLS_TEMPLATE,
    tokenizerDemonstrations: 6000,
    // Most of what tools answer cannot be predicted. At a weight of 0.2, that would be most of the loss.
    lossWeights: { assistant: 1 },
    demonstrationsPerStep: 16,
    steps: 12_000,
    peakLearningRate: 3e-3,
    continuedLearningRate: 1.5e-3,
    matrices: "muon",
    exerciseSteps: 800,
    maxMicrobatchTokens: 2048,
  };
}

/** The recipe of the nano model, or of the default model in a size. */
export function recipeOf(size: ModelSize | undefined): PretrainRecipe {
  return size === undefined ? NANO : defaultRecipe(size);
}

/** The shape of a recipe's decoder. */
export function decoderConfig({ shape }: PretrainRecipe, vocabularySize: number): DecoderConfig {
  return {
    modelType: "qwen3",
    vocabularySize,
    ...shape,
    headSize: 32,
    ropeTheta: 10_000,
    rmsNormEpsilon: 1e-6,
    tiedEmbeddings: true,
    ropeScaling: null,
  };
}

/** AdamW settings and schedule. */
export const OPTIMIZER = {
  finalLearningRate: 1e-4,
  warmUpSteps: 100,
  beta1: 0.9,
  beta2: 0.95,
  weightDecay: 0.05,
  maxGradientNorm: 1,
} as const;

/** Seed of the committed models. */
export const DEFAULT_SEED = 20_261_120;
