/**
 * `broadcast` and `joint`: one number for a whole trajectory, copied to each of its turns or to each
 * of its agents. Every turn is then a training sample of its own, bounded in length.
 *
 * Source: Li et al. 2025, "In-the-Flow Agentic System Optimization" (Flow-GRPO), arXiv:2510.05592;
 * Liu et al. 2025, "LLM Collaboration With Multi-Agent RL" (MAGRPO), arXiv:2508.04652.
 */
import { requireSameLength } from "../statistics.ts";

/** One turn as a sample of its own. */
export type TurnSample = {
  readonly trajectory: number;
  readonly turn: number;
  readonly advantage: number;
};

/**
 * @param advantages - `[G]` of trajectories; each counted once in its baseline, however many turns.
 * @param turnCounts - `[G]`
 * @returns one sample a turn, in order.
 */
export function broadcastToTurns(
  advantages: readonly number[],
  turnCounts: readonly number[],
): TurnSample[] {
  requireSameLength("turnCounts", turnCounts.length, "advantages", advantages.length);
  return advantages.flatMap((advantage, trajectory) =>
    Array.from({ length: turnCounts[trajectory] as number }, (_, turn) => ({
      trajectory,
      turn,
      advantage,
    })),
  );
}

/**
 * The advantage of each agent in each joint episode: the episode's, shared, by an estimator over joint
 * returns.
 *
 * @param agentRewards - `[G][agents]` rewards paid to each agent; their sum is the joint return.
 * @returns `[G][agents]`
 */
export function jointAdvantages(
  agentRewards: readonly (readonly number[])[],
  estimator: (rewards: readonly number[]) => readonly number[],
): number[][] {
  const joint = estimator(agentRewards.map((row) => row.reduce((sum, reward) => sum + reward, 0)));
  return agentRewards.map((row, i) => row.map(() => joint[i] as number));
}
