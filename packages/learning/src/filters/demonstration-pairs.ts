/** Pairs of a demonstration and the trajectory of a past checkpoint at the same task. */
import type { FilterPart } from "../composition/part.ts";
import { filterPart } from "./filter-part.ts";

/** Pairs of every task: what was demonstrated is preferred to what the student did, whatever it came to. */
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
