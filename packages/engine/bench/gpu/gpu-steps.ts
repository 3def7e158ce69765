/** Training steps measured on a GPU: decoder sizes, and which parameters are trained. */
import type { ResidentFormat } from "@waggle/model";
import { QWEN3_0_6B } from "../random-decoder.ts";
import { forwardOperations } from "../step-shapes.ts";
import type { StepShape } from "../step-shapes.ts";

/** `tiny` takes a software adapter seconds. */
export type GpuSize = "tiny" | "real";

export type GpuCase = {
  readonly trains: "lora" | "full";
  readonly checkpointing: "layer" | "none";
  /** Format of the frozen base. With `f16`, products are computed in f16 too. */
  readonly base: ResidentFormat;
};

/** Decoder for comparing gradients with the CPU's, whatever shape is timed. */
export const TINY: StepShape = {
  config: {
    ...QWEN3_0_6B,
    layers: 2,
    width: 64,
    feedForwardSize: 128,
    vocabularySize: 1024,
    heads: 4,
    keyValueHeads: 2,
    headSize: 16,
    contextLength: 64,
  },
  sequences: 2,
  length: 16,
};

const BATCH = { sequences: 4, length: 512 } as const;

export const GPU_SHAPES: { readonly [size in GpuSize]: readonly (readonly [string, StepShape])[] } =
  {
    tiny: [["tiny", TINY]],
    real: [
      [
        "0.1 B",
        {
          ...BATCH,
          config: {
            ...QWEN3_0_6B,
            layers: 12,
            width: 768,
            feedForwardSize: 2048,
            vocabularySize: 32_768,
            heads: 12,
            keyValueHeads: 4,
            headSize: 64,
          },
        },
      ],
      ["0.6 B", { ...BATCH, config: QWEN3_0_6B }],
      ["0.6 B", { sequences: 1, length: 2048, config: QWEN3_0_6B }],
    ],
  };

export const RANK = 16;

/** A case is measured where the device supports it. */
export const GPU_CASES: { readonly [size in GpuSize]: readonly GpuCase[] } = {
  tiny: [
    { trains: "lora", checkpointing: "layer", base: "f32" },
    { trains: "full", checkpointing: "none", base: "f32" },
    { trains: "lora", checkpointing: "layer", base: "f16" },
  ],
  real: [
    { trains: "lora", checkpointing: "layer", base: "f32" },
    { trains: "lora", checkpointing: "layer", base: "f16" },
    { trains: "lora", checkpointing: "layer", base: "int8" },
    { trains: "full", checkpointing: "layer", base: "f32" },
  ],
};

/**
 * Floating-point operations of a step's matrix products, counted in forward passes. A step has a
 * forward pass, gradients of activations, in full training also gradients of weights, and with
 * layer-by-layer checkpointing a second forward pass (logits included).
 */
export function gpuStepOperations(
  shape: StepShape,
  { trains, checkpointing }: GpuCase,
  blocks: number,
): number {
  const isLayered = checkpointing === "layer";
  // in one graph an adapter's gradient is projected from that of its merged matrix
  const passes = (trains === "full" || !isLayered ? 3 : 2) + (isLayered ? 1 : 0);
  return passes * forwardOperations(shape, isLayered ? 1 : blocks);
}

/** Bytes of the matrices as stored on the device. */
export function matrixBytes({ config }: StepShape, { base }: Pick<GpuCase, "base">): number {
  const { layers, width, feedForwardSize, vocabularySize, heads, keyValueHeads, headSize } = config;
  const linears = width * headSize * (2 * heads + 2 * keyValueHeads) + 3 * width * feedForwardSize;
  const bytes = { f32: 4, f16: 2, int8: 1, int4: 1 } as const;
  return bytes[base] * (layers * linears + vocabularySize * width);
}

/** Least number of times a step reads each matrix: forward, recomputation or weight gradients, backward. */
export const MATRIX_READS = 3;
