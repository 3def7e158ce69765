/**
 * The weights that training over a base of some format computes with, converted as they are read:
 * for sampling from the same file beside an engine with a quantized or f16 base. Besides the
 * result, slices of rows (float16) or one matrix at a time (quantized) are in memory.
 */
import { changedSource } from "../files/changed-source.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { decoderParameters, isMatrix } from "../decoder/decoder-parameters.ts";
import { expandedWeights } from "./expanded-weights.ts";
import { fromFloat16Bits, toFloat16Bits } from "./half-precision.ts";
import type { ResidentFormat } from "./resident-weights.ts";
import type { TensorSource } from "../files/tensor-source.ts";
import { findStored } from "./weight-reader.ts";

/** `residentNumbers` for a source; reading throws the same errors. */
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
