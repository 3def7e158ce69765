/** What single turns of a trajectory earned. */
import type { Judgement } from "@waggle/environments";
import type { Trajectory } from "@waggle/protocol";

/** Rewards of single turns, given for those whose calls reached the environment: the others earned 0. */
export function rewardsOf(
  { turns }: Trajectory,
  { turnRewards }: Judgement,
): { turnRewards?: readonly number[] } {
  if (turnRewards === undefined) return {};
  const left = [...turnRewards];
  return {
    turnRewards: turns.map(({ toolCalls }) => (toolCalls.length > 0 ? (left.shift() ?? 0) : 0)),
  };
}
