/** A model's weights for the kernels: matrices in their memory, short vectors beside it. */
import { decoderParameters, layerLinears, quantizedBits, readRows } from "@waggle/model";
import type { DecoderConfig, ParameterShape, TensorSource, WeightFormat } from "@waggle/model";
import { FloatMatrix } from "./float-matrix.ts";
import { allocateScratch } from "./product-scratch.ts";
import { QuantizedMatrix } from "./quantized-matrix.ts";
import type { SimdMemory } from "./simd-memory.ts";
import type { WeightMatrix } from "./weight-matrix.ts";

export type DecoderWeights = {
  /** By parameter name. */
  readonly matrices: ReadonlyMap<string, WeightMatrix>;
  /** Norms and biases, by parameter name. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
  readonly sizeBytes: number;
  readonly scratchBytes: number;
};

/**
 * Reads the weights, a slice at a time, into the layout of the kernels.
 *
 * @throws WaggleError `MODEL_CORRUPT` if they do not match the config, `OUT_OF_MEMORY` (retryable).
 */
export async function readWeights(
  memory: SimdMemory,
  config: DecoderConfig,
  source: TensorSource,
  dtype: WeightFormat,
): Promise<DecoderWeights> {
  const widest = Math.max(...layerLinears(config, 0).map(({ inputSize }) => inputSize));
  const scratch = allocateScratch(memory, widest);
  const matrices = new Map<string, WeightMatrix>();
  const vectors = new Map<string, Float32Array>();
  let sizeBytes = 0;
  for (const parameter of decoderParameters(config)) {
    const { name, kind } = parameter;
    if (kind === "norm" || kind === "bias") {
      const vector = await readVector(source, parameter);
      vectors.set(name, vector);
      sizeBytes += vector.byteLength;
      continue;
    }
    const bits = quantizedBits(dtype, kind);
    const matrix =
      bits === null
        ? await FloatMatrix.read(memory, source, parameter)
        : await QuantizedMatrix.read({ bits, memory, scratch }, source, parameter);
    matrices.set(name, matrix);
    sizeBytes += matrix.sizeBytes;
  }
  return { matrices, vectors, sizeBytes, scratchBytes: scratch.sizeBytes };
}

async function readVector(source: TensorSource, parameter: ParameterShape): Promise<Float32Array> {
  const [size = 0] = parameter.shape;
  const vector = new Float32Array(size);
  for await (const { begin, data } of readRows(source, parameter)) vector.set(data, begin);
  return vector;
}
