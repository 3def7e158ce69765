/** Pairs of a demonstration and a past checkpoint's trajectory of the same task. */
import type { FilterPart } from "../composition/part.ts";
import { filterPart } from "./filter-part.ts";

/**
 * Pairs for every task: the demonstration is preferred to the student's trajectory, regardless of its
 * outcome.
 */
export function demonstrationPairs(): FilterPart {
  return filterPart("demonstration-pairs", (groups) => ({
    groups,
    dropped: new Map(),
    pairs: groups.flatMap(({ trajectories }) => {
      const ids = (isStudent: boolean): string[] =>
        trajectories.flatMap(({ trajectory }) =>
          (trajectory.role === "student") === isStudent ? [trajectory.id] : [],
        );
      const students = ids(true);
      return ids(false).flatMap((shown) => students.map((student) => [shown, student] as const));
    }),
  }));
}
