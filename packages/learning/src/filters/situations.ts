/** Trajectories that fit the situation of their task, alone or in pairs. */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { isOf, situationOf } from "../rollouts/situations.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/**
 * `student-fail`: of each task the run of the situation that it is in; help only where the policy failed, or
 * was verified as worse than the threshold.
 */
export function inSituation(threshold?: number): FilterPart {
  return definePart({ threshold: option(threshold, 1) }, (given) => fittingRuns(given.threshold));
}

function fittingRuns(threshold: number): FilterPart {
  return filterPart("student-fail", (groups) => {
    const fitting = new Set(
      groups.flatMap((group) =>
        group.trajectories
          .filter(isOf(situationOf(group, threshold)))
          .map(({ trajectory }) => trajectory.id),
      ),
    );
    return keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => {
        if (trajectory.role === "student") return "students-own";
        return fitting.has(trajectory.id) ? null : "other-situation";
      }),
    );
  });
}

/** `student-fail` as pairs: the run of a task's situation, and that of one that it is not in. */
export function situationPairs(threshold?: number): FilterPart {
  return definePart({ threshold: option(threshold, 1) }, (given) =>
    pairsOfSituations(given.threshold),
  );
}

function pairsOfSituations(threshold: number): FilterPart {
  return filterPart("student-fail", (groups) => {
    const pairs = groups.flatMap((group): (readonly [string, string])[] => {
      const situation = situationOf(group, threshold);
      // Who needs no help is told apart from who asks, who does from who goes on.
      const other = situation === "go-on" ? "ask" : "go-on";
      const chosen = group.trajectories.find(isOf(situation));
      const rejected = group.trajectories.find(isOf(other));
      if (chosen === undefined || rejected === undefined) return [];
      return [[chosen.trajectory.id, rejected.trajectory.id]];
    });
    const paired = new Set(pairs.flat());
    const kept = keepTrajectories(groups, (all) =>
      selectBy(all, ({ trajectory }) => (paired.has(trajectory.id) ? null : "no-pair")),
    );
    return { ...kept, pairs };
  });
}
