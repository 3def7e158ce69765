/**
 * Trains only some of the parameters: after each optimizer step the others are reset, so that the chosen ones
 * adapt to them. The part `param-subset`. Gradients are not masked: the engine trains all parameters, and the reset
 * undoes the rest.
 *
 * Sources: Hui et al. 2024, "HFT: Half Fine-Tuning for Large Language Models", arXiv:2404.18466 (half of
 * each block's matrices, another half each round); chosen layers, e.g. "Fine-tuning Done Right in Model
 * Editing" (LocFT-BF), arXiv:2509.22072.
 */
import type { Tensor, TensorMap } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { requireAlike } from "./tensor-maps.ts";

/**
 * The chosen tensors from `after`, the others from `before`.
 *
 * @throws WaggleError `SHAPE_MISMATCH` for two different models.
 */
export function withTrained(
  before: TensorMap,
  after: TensorMap,
  isTrained: (name: string) => boolean,
): TensorMap {
  requireAlike([before, after]);
  return new Map(
    Array.from(before, ([name, tensor]) => [
      name,
      isTrained(name) ? (after.get(name) as Tensor) : tensor,
    ]),
  );
}

/**
 * Draws a share of the names of each block at each call: half of the matrices of every layer (HFT).
 *
 * @param blockOf - groups names into blocks, so that every layer gets its share.
 * @param random - returns numbers in [0, 1).
 */
export function drawnNames(
  names: readonly string[],
  share: number,
  blockOf: (name: string) => string,
  random: () => number,
): Set<string> {
  if (!(share >= 0 && share <= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `share must be in [0, 1], got ${share} (0.5 trains half of each block)`,
    );
  }
  const blocks = new Map<string, string[]>();
  for (const name of names) {
    const block = blockOf(name);
    blocks.set(block, [...(blocks.get(block) ?? []), name]);
  }
  const drawn = new Set<string>();
  for (const members of blocks.values()) {
    const ranked = members
      .map((name) => ({ name, rank: random() }))
      .sort((a, b) => a.rank - b.rank);
    for (const { name } of ranked.slice(0, Math.round(share * members.length))) drawn.add(name);
  }
  return drawn;
}
