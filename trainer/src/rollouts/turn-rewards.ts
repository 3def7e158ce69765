/** Rewards of the single turns of a trajectory. */
import type { Judgment } from "@waggle/environments";
import type { Trajectory } from "@waggle/protocol";

/**
 * Per-turn rewards. The verifier reports one for each turn whose calls reached the environment; the
 * others are 0.
 */
export function rewardsOf(
  { turns }: Trajectory,
  { turnRewards }: Judgment,
): { turnRewards?: readonly number[] } {
  if (turnRewards === undefined) return {};
  const left = [...turnRewards];
  return {
    turnRewards: turns.map(({ toolCalls }) => (toolCalls.length > 0 ? (left.shift() ?? 0) : 0)),
  };
}
