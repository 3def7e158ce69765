/**
 * Weights merged with an adapter, W + alpha/rank · B·A: all at once for small models, or row by row
 * as they are read, so that a merged model is never in memory as a whole. For export and tests.
 * Source: Hu et al. 2021, LoRA, arXiv 2106.09685, section 4.2.
 */
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { adapterTensors, allLinears, loraName } from "../adapters/adapter.ts";
import type { Adapter } from "../adapters/adapter.ts";
import { changedSource } from "../files/changed-source.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { sameShape } from "../shape.ts";
import type { TensorDescription, TensorSource } from "../files/tensor-source.ts";
import { findStored } from "./weight-reader.ts";

/**
 * Merges all at once; unchanged tensors are shared.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` for an adapter of another decoder, `SHAPE_MISMATCH` for
 *   weights of another config.
 */
export function mergeAdapter(
  config: DecoderConfig,
  weights: TensorMap,
  adapter: Adapter,
): TensorMap {
  const merged = new Map(weights);
  for (const [name, side] of adapterSides(config, weights, adapter)) {
    const { shape, data } = weights.get(name) as Tensor;
    merged.set(name, { shape, data: withDelta(data, 0, side) });
  }
  return merged;
}

/**
 * Merges weights as they are read. Matrices with an adapter become float32.
 * @throws WaggleError as `mergeAdapter` does, before anything is read.
 */
export function mergedWeights(
  config: DecoderConfig,
  weights: TensorSource,
  adapter: Adapter,
): TensorSource {
  const sides = adapterSides(config, weights.tensors, adapter);
  const shapes = new Map(
    [...sides.keys()].map((name) => [name, (weights.tensors.get(name) as TensorDescription).shape]),
  );
  return changedSource(weights, shapes, async (name, rows) => {
    const { shape, data } = await weights.read(name, rows);
    return { shape, data: withDelta(data, rows?.begin ?? 0, sides.get(name) as Sides) };
  });
}

/** A `[r, in]`, B `[out, r]` of one linear. */
type Sides = {
  readonly a: Float32Array;
  readonly b: Float32Array;
  readonly inputSize: number;
  readonly rank: number;
  readonly alpha: number;
};

/** By the stored name of the linear's weight. */
function adapterSides(
  config: DecoderConfig,
  stored: ReadonlyMap<string, { readonly shape: readonly number[] }>,
  { rank, alpha, tensors }: Adapter,
): Map<string, Sides> {
  const checked = adapterTensors(tensors, config, rank);
  const sides = new Map<string, Sides>();
  for (const { name, inputSize, outputSize } of allLinears(config)) {
    const weight = findStored(stored, `${name}.weight`);
    const shape = stored.get(weight)?.shape;
    if (shape === undefined || !sameShape(shape, [outputSize, inputSize])) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `${weight} must have shape [${outputSize}, ${inputSize}], got ${shape?.join(", ") ?? "nothing"}; pass the weights of this config`,
      );
    }
    const a = (checked.get(loraName(name, "A")) as Tensor).data;
    const b = (checked.get(loraName(name, "B")) as Tensor).data;
    sides.set(weight, { a, b, inputSize, rank, alpha });
  }
  return sides;
}

/** @param rows - whole rows of a weight from row `begin`. Sums are float64. */
function withDelta(
  rows: Float32Array,
  begin: number,
  { a, b, inputSize, rank, alpha }: Sides,
): Float32Array {
  const merged = new Float32Array(rows.length);
  const delta = new Float64Array(inputSize);
  for (let row = 0; row < rows.length / inputSize; row++) {
    delta.fill(0);
    for (let r = 0; r < rank; r++) {
      const factor = ((b[(begin + row) * rank + r] as number) * alpha) / rank;
      for (let i = 0; i < inputSize; i++) {
        delta[i] = (delta[i] as number) + factor * (a[r * inputSize + i] as number);
      }
    }
    const at = row * inputSize;
    for (let i = 0; i < inputSize; i++) {
      merged[at + i] = (rows[at + i] as number) + (delta[i] as number);
    }
  }
  return merged;
}
