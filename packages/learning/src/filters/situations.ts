/** Trajectories that fit the situation of their task, alone or in pairs. */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { isOf, situationOf } from "../rollouts/situations.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/**
 * `student-fail`: keeps each task's trajectories for its situation. The student's verified rewards, compared
 * with the threshold, determine the situation.
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

/**
 * `student-fail` as pairs: a trajectory for the task's situation is chosen, one for another situation
 * rejected.
 */
export function situationPairs(threshold?: number): FilterPart {
  return definePart({ threshold: option(threshold, 1) }, (given) =>
    pairsOfSituations(given.threshold),
  );
}

function pairsOfSituations(threshold: number): FilterPart {
  return filterPart("student-fail", (groups) => {
    const pairs = groups.flatMap((group): (readonly [string, string])[] => {
      const situation = situationOf(group, threshold);
      // "go-on" is contrasted with "ask"; every other situation with "go-on".
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
