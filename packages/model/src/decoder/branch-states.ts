/** States shared by sequences with a common prefix, and which models support that. */
import { layerKind } from "./decoder-config.ts";
import type { DecoderConfig } from "./decoder-config.ts";

/** Whether every layer attends to all positions. The GPU form of branches does not need that. */
export function canBranch(config: DecoderConfig): boolean {
  return Array.from({ length: config.layers }, (_, layer) => layerKind(config, layer)).every(
    (kind) => kind === "attention" || kind === "unrotated",
  );
}

/** Keys of a layer's prefix `[1, kvHeads, D, P]`, transposed for the product, and its values. */
export function prefixNames(layer: number): { readonly key: string; readonly value: string } {
  return { key: `prefix.${layer}.key`, value: `prefix.${layer}.value` };
}
