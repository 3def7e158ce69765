/** Our reference for quantized weights: the plain decoder, whose sums are float64, on the dequantized numbers. */
import { decoderParameters, expandedWeights, PlainDecoder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { Tensor } from "@waggle/protocol";
import { openModelFolder } from "../src/node/model-folder.ts";

/** @returns `[T − 1]` log-probs of each token after the first, in nats. */
export async function plainLogProbs(
  folder: string,
  config: DecoderConfig,
  format: "int8" | "int4",
  tokenIds: readonly number[],
): Promise<number[]> {
  const stored = await (await openModelFolder(folder)).weights();
  const expanded = expandedWeights(config, stored, format, "f16");
  const weights = new Map<string, Tensor>();
  for (const { name } of decoderParameters(config)) weights.set(name, await expanded.read(name));
  return new PlainDecoder(config, weights).readLogProbs(tokenIds);
}
