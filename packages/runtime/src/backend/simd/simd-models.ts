/**
 * Decides which models run on this package's WebAssembly kernels instead of onnxruntime. Has no
 * kernels, which are loaded when a model needs them.
 */
import { layerKind, layerLinears, parameterCount } from "@waggle/model";
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { ADD_STEP, FLOAT_STEP } from "./kernel-steps.ts";

/** Architectures without sliding windows and convolutions. */
const TYPES: readonly string[] = ["llama", "qwen2", "qwen3", "smollm3"];

/** Smaller models read prompts faster on onnxruntime (docs/evidence/runtime.md). */
const FEWEST_PARAMETERS = 8e6;

/** Whether the kernels can run this model. */
export function isSimdModel(config: DecoderConfig): boolean {
  const layers = Array.from({ length: config.layers }, (_, layer) => layer);
  return (
    TYPES.includes(config.modelType) &&
    config.headSize % ADD_STEP === 0 &&
    layerLinears(config, 0).every(({ inputSize }) => inputSize % FLOAT_STEP === 0) &&
    layers.every((layer) => ["attention", "unrotated"].includes(layerKind(config, layer)))
  );
}

/**
 * Whether the kernels run this model faster than onnxruntime, which they do for quantized weights.
 *
 * @param isExpandedInThreads - whether onnxruntime would expand it to float32 and compute in several
 *   threads: it then reads prompts faster.
 */
export function runsOnSimd(
  config: DecoderConfig,
  dtype: WeightFormat,
  isExpandedInThreads: boolean,
): boolean {
  const isQuantized = dtype === "int8" || dtype === "int4";
  const isLarge = parameterCount(config) >= FEWEST_PARAMETERS;
  return isQuantized && isLarge && !isExpandedInThreads && isSimdModel(config);
}
