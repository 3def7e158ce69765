/**
 * `privatize`: what is given to the model is told less exactly: each given token is replaced, with some
 * chance, by one drawn at random. Whoever trains sees no single token for sure. What was sampled stays.
 *
 * Source: randomized response, Warner 1965; k-ary, Kairouz et al. 2016, arXiv:1602.07387.
 */
import { WaggleError } from "@waggle/protocol";
import type { FilterPart } from "../composition/part.ts";
import { requireInside } from "../statistics.ts";
import { changeTrajectories, filterPart } from "./filter-part.ts";

/**
 * `[T]` the tokens of which each given one is, with probability `share`, one of `pool` at random.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for a pool without a token.
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
      "tokens to draw from must be at least one, got none; give those of the batch",
    );
  }
  return tokenIds.map((tokenId, t) => {
    if (isGiven[t] !== true || random() >= share) return tokenId;
    return pool[Math.floor(random() * pool.length)] as number;
  });
}

/** Given tokens replaced with some chance by others of the batch, before anything is computed of them. */
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
              sample.lossMask.map((said) => !said),
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
