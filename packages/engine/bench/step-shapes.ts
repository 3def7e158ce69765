/** The training steps on which all engines are compared: one decoder, one batch, one loss. */
import type { DecoderConfig } from "@waggle/model";
import type { TrainSequence } from "@waggle/protocol";
import { attentionBlocks, blockRange } from "../src/batch/attention-view.ts";
import type { OnnxProvider } from "../src/onnx/onnx-device.ts";

export type ShapeName = "S" | "M";

export type StepShape = {
  readonly config: DecoderConfig;
  readonly sequences: number;
  /** Tokens read per sequence; each has a next token to predict. */
  readonly length: number;
};

const COMMON = {
  modelType: "qwen3",
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  ropeScaling: null,
} as const;

export const SHAPES: { readonly [name in ShapeName]: StepShape } = {
  S: {
    config: {
      ...COMMON,
      layers: 4,
      width: 128,
      feedForwardSize: 512,
      vocabularySize: 256,
      heads: 4,
      keyValueHeads: 2,
      headSize: 32,
      contextLength: 129,
    },
    sequences: 8,
    length: 128,
  },
  M: {
    config: {
      ...COMMON,
      layers: 8,
      width: 384,
      feedForwardSize: 1024,
      vocabularySize: 1024,
      heads: 6,
      keyValueHeads: 2,
      headSize: 64,
      contextLength: 513,
    },
    sequences: 4,
    length: 512,
  },
};

export const LEARNING_RATE = 1e-3;

/** Sequences of length + 1 tokens, so that `length` tokens are read and `length` predicted. */
export function batchOf({ config, sequences, length }: StepShape): TrainSequence[] {
  const id = (sequence: number, token: number): number =>
    (token * 7919 + token * token * 31 + sequence * 104_729) % config.vocabularySize;
  return Array.from({ length: sequences }, (_, sequence) => ({
    tokenIds: Array.from({ length: length + 1 }, (_unused, token) => id(sequence, token)),
  }));
}

/**
 * Floating-point operations of the matrix products of a step as our engine computes them in one graph:
 * the backward pass takes twice as many as the forward pass.
 */
export function productOperations(shape: StepShape, provider: OnnxProvider): number {
  return 3 * forwardOperations(shape, attentionBlocks(shape.length, provider));
}

/**
 * Floating-point operations of a forward pass: two per multiply-add. Attention counts only the blocks
 * that are computed. Elementwise operations are not counted.
 */
export function forwardOperations(
  { config, sequences, length }: StepShape,
  blocks: number,
): number {
  const { layers, width, feedForwardSize, vocabularySize, heads, keyValueHeads, headSize } = config;
  const linears = width * headSize * (2 * heads + 2 * keyValueHeads) + 3 * width * feedForwardSize;
  const scores = Array.from({ length: blocks }, (_, block) => {
    const { begin, end } = blockRange(length, blocks, block);
    return (end - begin) * end;
  }).reduce((sum, count) => sum + count, 0);
  const perSequence =
    length * (layers * linears + width * vocabularySize) + 2 * layers * heads * headSize * scores;
  return 2 * sequences * perSequence;
}
