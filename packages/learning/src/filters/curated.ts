/**
 * `curated`: selects a small set within a budget, by quality and by tags that the set does not cover yet.
 * Greedy: at least 1 − 1/e of the best coverage.
 *
 * Source: LIMI (tens of samples); greedy maximization of submodular coverage, Nemhauser et al. 1978.
 */
import { fixed, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedTrajectory } from "../composition/part.ts";
import { observeTask, type TaskStatistics } from "../states/task-statistics.ts";
import { requireInside } from "../statistics.ts";
import { filterPart, keepGroups, keepTrajectories } from "./filter-part.ts";
import { selectIndices } from "./selection.ts";
import type { Selection } from "./selected.ts";

/** A candidate for a curated set. */
export type Candidate = {
  /** In [0, 1]. */
  readonly quality: number;
  /** Its tags: skills, tools, environments. */
  readonly tags: readonly string[];
  /** Cost against the budget, > 0. Default 1. */
  readonly cost?: number;
};

/**
 * Selects candidates within the budget, greedily by (new tags + weight · quality)/cost; ties go to the first.
 */
export function curatedWithin(
  candidates: readonly Candidate[],
  budget: number,
  qualityWeight: number = 1,
): Selection {
  for (const { quality } of candidates) requireInside("quality", quality, 0, 1);
  const covered = new Set<string>();
  const chosen = new Set<number>();
  let left = budget;
  for (;;) {
    let best = -1;
    let bestGain = 0;
    for (const [i, { quality, tags, cost = 1 }] of candidates.entries()) {
      if (chosen.has(i) || cost > left) continue;
      const fresh = new Set(tags.filter((tag) => !covered.has(tag))).size;
      const gain = (fresh + qualityWeight * quality) / cost;
      if (gain > bestGain) [best, bestGain] = [i, gain];
    }
    if (best < 0) return selectIndices(candidates.length, chosen, "not-within-budget");
    chosen.add(best);
    left -= candidates[best]!.cost ?? 1;
    for (const tag of candidates[best]!.tags) covered.add(tag);
  }
}

/** `curated` by quality and coverage. Also records each generator's share of the selected trajectories. */
export function curatedOfGenerators(budget: number): FilterPart<"task-stats"> {
  return definePart({ budget: fixed(budget) }, () => chosenOfGenerators(budget));
}

function chosenOfGenerators(budget: number): FilterPart<"task-stats"> {
  return filterPart(
    "curated",
    (groups, { state, step }) => {
      const offered = groups.flatMap(({ trajectories }) => trajectories);
      const kept = keepTrajectories(groups, (all) =>
        curatedWithin(
          all.map(({ trajectory, reward }) => ({
            quality: Math.min(1, Math.max(0, reward.total)),
            tags: [`turns-${trajectory.turns.length}`],
          })),
          budget,
        ),
      );
      const chosen = new Set(
        kept.groups.flatMap(({ trajectories }) =>
          trajectories.map(({ trajectory }) => trajectory.id),
        ),
      );
      const names = [...new Set(offered.map(({ trajectory }) => trajectory.role))];
      const statistics = names.reduce(
        (all, name) =>
          observeTask(
            all,
            name,
            offered
              .filter(({ trajectory }) => trajectory.role === name)
              .map(({ trajectory, reward }) => (chosen.has(trajectory.id) ? reward.total : 0)),
            step,
          ),
        state["task-stats"] as TaskStatistics,
      );
      return { ...kept, state: { "task-stats": statistics } };
    },
    { needs: ["task-stats"] },
  );
}

/**
 * `curated` for tasks: selects whole groups within a budget of trajectories, by the spread of their rewards
 * and by new tools. Groups stay whole, so each keeps its baseline.
 */
export function curatedTasks(budget: number): FilterPart {
  return filterPart("curated", (groups) =>
    keepGroups(groups, (all) =>
      curatedWithin(
        all.map(({ trajectories }) => {
          const rewards = trajectories.map(({ reward }) => reward.total);
          return {
            quality: Math.min(1, Math.max(...rewards) - Math.min(...rewards)),
            tags: toolNames(trajectories),
            cost: trajectories.length,
          };
        }),
        budget,
      ),
    ),
  );
}

function toolNames(trajectories: readonly RewardedTrajectory[]): string[] {
  const calls = trajectories.flatMap(({ trajectory }) =>
    trajectory.turns.flatMap(({ toolCalls }) => toolCalls),
  );
  return [...new Set(calls.map(({ name }) => name))];
}

/** `curated`: selects a small budget of trajectories with the widest coverage. */
export function curated(budget: number): FilterPart {
  return filterPart("curated", (groups) =>
    keepTrajectories(groups, (all) =>
      curatedWithin(
        all.map((rewarded) => ({
          quality: Math.min(1, Math.max(0, rewarded.reward.total)),
          tags: toolNames([rewarded]),
        })),
        budget,
      ),
    ),
  );
}
