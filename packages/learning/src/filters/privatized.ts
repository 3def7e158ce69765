/**
 * `privatize`: replaces each given token with some probability by a random one, so a trainer knows no single
 * token for certain. Sampled tokens stay unchanged.
 *
 * Source: randomized response, Warner 1965; k-ary, Kairouz et al. 2016, arXiv:1602.07387.
 */
import { WaggleError } from "@waggle/protocol";
import type { FilterPart } from "../composition/part.ts";
import { requireInside } from "../statistics.ts";
import { changeTrajectories, filterPart } from "./filter-part.ts";

/**
 * `[T]` tokens; each given one is replaced with probability `share` by a random token of `pool`.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for an empty pool.
 */
export function privatizedTokens(
  tokenIds: readonly number[],
  isGiven: readonly boolean[],
  pool: readonly number[],
  share: number,
  random: () => number,
): number[] {
  requireInside("share", share, 0, 1);
  if (pool.length === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "the pool of replacement tokens is empty; pass the tokens of the batch",
    );
  }
  return tokenIds.map((tokenId, t) => {
    if (isGiven[t] !== true || random() >= share) return tokenId;
    return pool[Math.floor(random() * pool.length)] as number;
  });
}

/** Replaces given tokens with some probability by others of the batch, before any log-probs are computed. */
export function privatize(share: number): FilterPart {
  return filterPart("privatize", (groups, { random }) => {
    const all = groups.flatMap(({ trajectories }) =>
      trajectories.flatMap(({ trajectory }) => trajectory.samples),
    );
    const pool = [...new Set(all.flatMap(({ sequence }) => sequence.tokenIds))];
    return changeTrajectories(groups, (rewarded) => ({
      ...rewarded,
      trajectory: {
        ...rewarded.trajectory,
        samples: rewarded.trajectory.samples.map((sample) => ({
          ...sample,
          sequence: {
            ...sample.sequence,
            tokenIds: privatizedTokens(
              sample.sequence.tokenIds,
              sample.lossMask.map((sampled) => !sampled),
              pool,
              share,
              random,
            ),
          },
        })),
      },
    }));
  });
}
