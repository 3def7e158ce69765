/**
 * `td`: what Q is fitted to, over one step or over a chunk of h steps that were decided together.
 *
 * Source: Watkins 1989 (Q-learning); CO-RFT (chunked TD), Digi-Q (TD on frozen features).
 */
import { requireFiniteRewards, requireInside } from "../statistics.ts";

export type ChunkTargetOptions = {
  /** γ in [0, 1], per step. */
  readonly discount: number;
  /** Steps of a chunk, ≥ 1. */
  readonly chunk: number;
  /** True where the task ended by itself; a cut trajectory bootstraps from its last value. */
  readonly terminated: boolean;
};

/**
 * `[steps]` target of each step: Σ_{i<h} γ^i r_{t+i} + γ^h · nextValues[t+h], the sum ending with the
 * trajectory.
 *
 * @param rewards - `[steps]`
 * @param stateValues - `[steps + 1]` value of the state before each step and after the last: max_a Q or
 *   the policy's mean. The last counts only where the trajectory was cut.
 */
export function chunkTargets(
  rewards: readonly number[],
  stateValues: readonly number[],
  { discount, chunk, terminated }: ChunkTargetOptions,
): number[] {
  requireFiniteRewards(rewards);
  requireInside("stateValues.length", stateValues.length, rewards.length + 1, rewards.length + 1);
  requireInside("chunk", chunk, 1, Number.MAX_SAFE_INTEGER);
  return rewards.map((_, t) => {
    const end = Math.min(t + chunk, rewards.length);
    let target = 0;
    for (let i = end - 1; i >= t; i -= 1) target = rewards[i]! + discount * target;
    const bootstraps = end < rewards.length || !terminated;
    return target + (bootstraps ? discount ** (end - t) * stateValues[end]! : 0);
  });
}
