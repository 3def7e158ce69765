/**
 * `success`: rejection sampling. Keeps verified successes up to a limit per task, the shortest first or in
 * the given order.
 *
 * Source: Zelikman et al. 2022, "STaR", arXiv:2203.14465; rejection tuning as in WebDancer.
 */
import { sampledTokens, verifiedWorth } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectIndices } from "./selection.ts";
import type { Selection } from "./selected.ts";

/** Options of `successesOnly`. */
export type SuccessOptions = {
  /** Lowest reward of a success. Default 1. */
  readonly threshold?: number;
  /** Limit per task. Default: none. */
  readonly perTask?: number;
  /** `[N]` optional; shorter ones come first. */
  readonly lengths?: readonly number[];
};

/**
 * Keeps the successes of each task.
 *
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

/** `success`: keeps trajectories with a verified reward of at least the threshold, by default successes. */
export function success({
  threshold,
  ...options
}: Omit<SuccessOptions, "lengths"> = {}): FilterPart {
  return definePart({ threshold: option(threshold, 1) }, (given) =>
    filterPart("success", (groups) =>
      keepTrajectories(groups, (all) =>
        successesOnly(
          all.map(({ trajectory }) => verifiedWorth(trajectory)),
          all.map(({ trajectory }) => JSON.stringify(trajectory.record.task ?? trajectory.id)),
          { ...options, ...given, lengths: all.map(({ trajectory }) => sampledTokens(trajectory)) },
        ),
      ),
    ),
  );
}
