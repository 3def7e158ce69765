/** Golden decoders from disk, and their graphs on the native CPU provider. For tests in Node. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { adapterGraphInputs, buildDecoderGraph } from "@waggle/model";
import type { Adapter, DecoderGraphOptions } from "@waggle/model";
import * as ort from "onnxruntime-node";
import { loadGolden } from "./golden.ts";
import type { GOLDEN_TYPES, GoldenDecoder } from "./golden.ts";
import { GraphRunner } from "./graph-runner.ts";

/** Reads a golden decoder. */
export function readGolden(modelType: (typeof GOLDEN_TYPES)[number]): Promise<GoldenDecoder> {
  return loadGolden((name) => readFileSync(join(import.meta.dirname, modelType, name)));
}

/** Opens its graph. */
export async function openGolden(
  { config, weights }: Pick<GoldenDecoder, "config" | "weights">,
  options: DecoderGraphOptions,
): Promise<GraphRunner> {
  const graph = await buildDecoderGraph(config, weights, options);
  return GraphRunner.open(ort, graph, config);
}

/** Logits `[T]` of `[V]` for each sequence, run one after another. */
export async function graphLogits(
  golden: Pick<GoldenDecoder, "config" | "weights">,
  sequences: readonly (readonly number[])[],
  adapter: Adapter | null,
  options: Omit<DecoderGraphOptions, "lora"> = {},
): Promise<Float32Array[][]> {
  const lora = adapter && { rank: adapter.rank };
  const runner = await openGolden(golden, { ...options, lora });
  const feeds = adapter
    ? adapterGraphInputs(golden.config, adapter, adapter.rank)
    : new Map<string, never>();
  const results: Float32Array[][] = [];
  for (const tokenIds of sequences) {
    results.push(...(await runner.logits([tokenIds], [tokenIds.length], feeds)));
  }
  await runner.release();
  return results;
}
