/**
 * The parameters of a decoder as an engine keeps them in memory: as float32, or matrices quantized
 * and everything else as float32. Read one after the other: beside the result, at most one slice of
 * a checkpoint is in memory. Not the layout of a graph's constants (`graph-weights.ts`).
 */
import type { Tensor } from "@waggle/protocol";
import { decoderParameters } from "./decoder-parameters.ts";
import type { Parameter } from "./decoder-parameters.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { quantizedBits } from "./graph-weights.ts";
import type { QuantizedMatrix } from "./quantization.ts";
import { readQuantizedMatrix } from "./quantized-reader.ts";
import type { TensorSource } from "./tensor-source.ts";
import { checkFinite, checkShape, findStored } from "./weight-reader.ts";

/** Number format of the matrices; the embedding and the logits' matrix of `int4` are in 8 bits. */
export type ResidentFormat = "f32" | "int8" | "int4";

/** A quantized matrix is told by its `bits`. */
export type ResidentWeight = Tensor | QuantizedMatrix;

/**
 * All parameters, in the order of `decoderParameters`. Scales are float16 numbers, as those of
 * published models are, so that what is trained on is what will run.
 * @throws WaggleError `MODEL_CORRUPT` where one is missing, has another shape or is not finite.
 */
export async function readResidentWeights(
  config: DecoderConfig,
  weights: TensorSource,
  format: ResidentFormat,
): Promise<ReadonlyMap<string, ResidentWeight>> {
  const resident = new Map<string, ResidentWeight>();
  for (const parameter of decoderParameters(config)) {
    const bits = quantizedBits(format, parameter.kind);
    resident.set(
      parameter.name,
      bits === null
        ? await readWhole(weights, parameter)
        : await readQuantizedMatrix(weights, parameter, bits, "f16"),
    );
  }
  return resident;
}

async function readWhole(weights: TensorSource, { name, shape }: Parameter): Promise<Tensor> {
  const stored = findStored(weights.tensors, name);
  checkShape(name, shape, weights.tensors.get(stored));
  const tensor = await weights.read(stored);
  checkFinite(name, tensor.data);
  return tensor;
}
