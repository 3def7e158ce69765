/**
 * Decides which models run on this package's WebAssembly kernels instead of onnxruntime. Has no
 * kernels, which are loaded when a model needs them.
 */
import { layerKind, layerLinears, parameterCount } from "@waggle/model";
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { ADD_STEP, FLOAT_STEP } from "./kernel-steps.ts";

/** Architectures without sliding windows and convolutions. */
const TYPES: readonly string[] = ["llama", "qwen2", "qwen3", "smollm3"];

/**
 * Models of plain numbers up to this size start sooner on the kernels than onnxruntime's binary is fetched and compiled, and
 * decode as fast. onnxruntime reads the prompts of all sizes faster, and decodes larger ones faster
 * (docs/evidence/runtime.md).
 */
const MOST_PLAIN_PARAMETERS = 8e6;

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
 * Whether a visitor is better off with this model on the kernels than on onnxruntime: quantized ones run faster, and small
 * ones start sooner.
 *
 * @param isFloatInThreads - whether onnxruntime would compute it in float32 and in several threads: it
 *   then reads prompts faster.
 */
export function runsOnSimd(
  config: DecoderConfig,
  dtype: WeightFormat,
  isFloatInThreads: boolean,
): boolean {
  const isQuantized = dtype === "int8" || dtype === "int4";
  const isSmall = parameterCount(config) <= MOST_PLAIN_PARAMETERS;
  return (isQuantized || isSmall) && !isFloatInThreads && isSimdModel(config);
}
