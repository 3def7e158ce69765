/**
 * `self-play`: two sides meet at a task, the learner and itself or its past. What comes of it is paid by
 * `zeroSumReward`.
 *
 * Source: SPIN (the past as opponent).
 */
import { drawOpponent, type OpponentPool } from "../states/opponent-pool.ts";
import { requireInside } from "../statistics.ts";

export type Match = {
  /** `null` plays the learner itself. */
  readonly opponent: string | null;
  /** Which side the learner has: sides alternate, so that neither is learned alone. */
  readonly side: 0 | 1;
};

/**
 * `count` matches; a share of them against past checkpoints, the rest against itself.
 *
 * @param pastShare - in [0, 1]; 0 needs no pool.
 */
export function plannedMatches(
  count: number,
  pool: OpponentPool,
  pastShare: number,
  random: () => number,
): Match[] {
  requireInside("pastShare", pastShare, 0, 1);
  return Array.from({ length: count }, (_, i) => ({
    opponent: random() < pastShare ? drawOpponent(pool, random) : null,
    side: i % 2 === 0 ? 0 : 1,
  }));
}
