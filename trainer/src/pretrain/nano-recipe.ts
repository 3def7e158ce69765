/**
 * The recipe of the nano base model: its shape and its optimizer settings. Any
 * change gives another model.
 */
import type { DecoderConfig } from "@waggle/model";

/** Shape of the nano decoder: 1.1 M parameters. */
export function nanoConfig(vocabularySize: number): DecoderConfig {
  return {
    modelType: "qwen3",
    vocabularySize,
    width: 128,
    layers: 5,
    heads: 4,
    keyValueHeads: 2,
    headSize: 32,
    feedForwardSize: 384,
    ropeTheta: 10_000,
    rmsNormEpsilon: 1e-6,
    tiedEmbeddings: true,
    contextLength: 512,
    ropeScaling: null,
  };
}

/** Upper limit of the vocabulary in tokens. */
export const VOCABULARY_SIZE = 1024;

/** Number of training demonstrations that the tokenizer is trained on. */
export const TOKENIZER_DEMONSTRATIONS = 4000;

/**
 * Loss weight of a token by speaker. The policy's own tokens matter most; predicting the
 * tools' answers teaches copying; predicting the visitor is hardly needed.
 */
export const TOKEN_WEIGHTS: { readonly [role: string]: number } = {
  system: 0,
  user: 0.05,
  tool: 0.2,
  assistant: 1,
};

/** AdamW settings and schedule. */
export const OPTIMIZER = {
  peakLearningRate: 3e-3,
  finalLearningRate: 1e-4,
  warmUpSteps: 100,
  beta1: 0.9,
  beta2: 0.95,
  weightDecay: 0.05,
  maxGradientNorm: 1,
} as const;

/** Demonstrations per optimizer step. */
export const DEMONSTRATIONS_PER_STEP = 16;

/** Optimizer steps of the committed model. */
export const DEFAULT_STEPS = 5000;
/** Seed of the committed model. */
export const DEFAULT_SEED = 20_261_120;
