/**
 * The uncertain tokens of a minibatch, where a sequence takes its direction: the rest follows from them.
 *
 * Source: Wang et al. 2025, "Beyond the 80/20 Rule", arXiv:2506.01939 (the top 20 % carry the gain).
 */
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
} from "../token-rows.ts";
import { type Correction, keptTokens } from "./correction.ts";

/**
 * The entropy, in nats, that a share `quantile` of the loss tokens lies below (linear between ranks);
 * −Infinity for no token. Over the whole minibatch.
 *
 * @param quantile - in [0, 1]; 0.8 leaves the top fifth.
 */
export function entropyQuantile(
  entropies: TokenRows,
  lossMask: LossMask,
  quantile: number,
): number {
  requireRows(lossMask, { entropies });
  const values: number[] = [];
  forEachLossToken(lossMask, (b, t) => values.push(finiteAt(entropies, "entropies", b, t)));
  if (values.length === 0) return -Infinity;
  values.sort((a, b) => a - b);
  const rank = quantile * (values.length - 1);
  const below = values[Math.floor(rank)] as number;
  const above = values[Math.ceil(rank)] as number;
  return below + (above - below) * (rank - Math.floor(rank));
}

/** 1 for loss tokens whose entropy is at least `threshold`, else 0. Entropies are detached. */
export function topEntropyMask(
  entropies: TokenRows,
  lossMask: LossMask,
  threshold: number,
): Correction {
  requireRows(lossMask, { entropies });
  return keptTokens(
    lossMask,
    (b, t) => finiteAt(entropies, "entropies", b, t) >= threshold,
    "topEntropyKept",
  );
}
