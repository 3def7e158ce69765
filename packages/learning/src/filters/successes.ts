/**
 * `success`: rejection sampling. Verified successes are kept, so many a task, the shortest first or as
 * they came.
 *
 * Source: Zelikman et al. 2022, "STaR", arXiv:2203.14465; rejection tuning as in WebDancer.
 */
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";
import { type Selection, selectIndices } from "./selection.ts";

export type SuccessOptions = {
  /** Least reward of a success. Default 1. */
  readonly threshold?: number;
  /** Most kept of one task. Default: all. */
  readonly perTask?: number;
  /** `[N]` where given, fewer come first. */
  readonly lengths?: readonly number[];
};

/**
 * @param rewards - `[N]`
 * @param tasks - `[N]`
 */
export function successesOnly(
  rewards: readonly number[],
  tasks: readonly string[],
  { threshold = 1, perTask = Number.POSITIVE_INFINITY, lengths }: SuccessOptions = {},
): Selection {
  requireSameLength("tasks", tasks.length, "rewards", rewards.length);
  requireFiniteRewards(rewards);
  const order = rewards.map((_, i) => i);
  if (lengths !== undefined) order.sort((a, b) => lengths[a]! - lengths[b]! || a - b);
  const taken = new Map<string, number>();
  const kept = order.filter((i) => {
    if (rewards[i]! < threshold) return false;
    const count = taken.get(tasks[i]!) ?? 0;
    taken.set(tasks[i]!, count + 1);
    return count < perTask;
  });
  return selectIndices(rewards.length, kept, "not-a-chosen-success");
}
