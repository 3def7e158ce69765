/** Keeps the demonstrations of tasks that the student fails. */
import type { FilterPart, RewardedTrajectory } from "../composition/part.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/** `student-fail`: keeps teachers' demonstrations of tasks at which all the policy's own rollouts failed. */
export function studentFail(): FilterPart {
  return filterPart("student-fail", (groups) =>
    keepTrajectories(groups, (all) => {
      const taskOf = ({ trajectory }: RewardedTrajectory): string =>
        JSON.stringify(trajectory.record.task);
      const mastered = new Set(
        all
          .filter(
            ({ trajectory }) => trajectory.role === "student" && trajectory.verification.success,
          )
          .map(taskOf),
      );
      return selectBy(all, (rewarded) => {
        if (rewarded.trajectory.role === "student") return "students-own";
        return mastered.has(taskOf(rewarded)) ? "student-can" : null;
      });
    }),
  );
}
