/**
 * Weights as the numbers that training computes with over a base of some format, made when they are read:
 * for who samples beside an engine that holds the base in fewer bits, from the same file. Slices of rows in
 * float16, one matrix at a time otherwise, are in memory beside the result.
 */
import { changedSource } from "../files/changed-source.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { decoderParameters, isMatrix } from "../decoder/decoder-parameters.ts";
import { expandedWeights } from "./expanded-weights.ts";
import { fromFloat16Bits, toFloat16Bits } from "./half-precision.ts";
import type { ResidentFormat } from "./resident-weights.ts";
import type { TensorSource } from "../files/tensor-source.ts";
import { findStored } from "./weight-reader.ts";

/** `residentNumbers` of a source; it throws as that does, when it is read. */
export function residentSource(
  config: DecoderConfig,
  weights: TensorSource,
  format: ResidentFormat,
): TensorSource {
  if (format === "f32") return weights;
  if (format !== "f16") return expandedWeights(config, weights, format, "f16");
  const halved = new Map(
    decoderParameters(config)
      .filter(isMatrix)
      .map(({ name, shape }) => [findStored(weights.tensors, name), shape]),
  );
  return changedSource(weights, halved, async (name, rows) => {
    const { shape, data } = await weights.read(name, rows);
    return { shape, data: fromFloat16Bits(toFloat16Bits(data)) };
  });
}
