/**
 * `self-play`: a proposer makes tasks that a solver attempts, or two sides meet. What comes of it is paid
 * by `frontierReward` and `zeroSumReward`.
 *
 * Source: Search Self-Play, SPICE (proposer and solver share weights); SPIN (the past as opponent).
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

export type ProposalOutcome = {
  readonly isAnswerable: boolean;
  /** `[attempts]` of the solver on it; not read where it cannot be answered. */
  readonly solverRewards: readonly number[];
};

/**
 * Which proposals the solver learns from: answerable ones that it solved sometimes. The proposer learns
 * from all of them.
 */
export function solvableProposals(proposals: readonly ProposalOutcome[]): number[] {
  return proposals.flatMap(({ isAnswerable, solverRewards }, i) => {
    const best = Math.max(...solverRewards);
    return isAnswerable && best > Math.min(...solverRewards) ? [i] : [];
  });
}
