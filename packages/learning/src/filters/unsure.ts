/** Keeps tasks at which the policy is uncertain. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepGroups, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/**
 * `student-fail` without known outcomes: keeps demonstrations of tasks at which the student's confidence is
 * below a threshold. Confidence is the geometric mean of its token probabilities, in [0, 1].
 */
export function unsure(below: number): FilterPart {
  return filterPart("student-fail", (groups) => {
    const kept = keepGroups(groups, (all) =>
      selectBy(all, ({ trajectories }) =>
        trajectories.some(
          ({ trajectory }) => trajectory.role === "student" && confidence(trajectory) < below,
        )
          ? null
          : "student-sure",
      ),
    );
    const shown = keepTrajectories(kept.groups, (all) =>
      selectBy(all, ({ trajectory }) => (trajectory.role === "student" ? "students-own" : null)),
    );
    return { ...shown, dropped: new Map([...kept.dropped, ...shown.dropped]) };
  });
}

/** Geometric mean of the probabilities of the sampled tokens; 1 without any. */
function confidence({ samples }: JudgedTrajectory): number {
  const logProbs = samples.flatMap(({ lossMask, behaviorLogProbs }) =>
    behaviorLogProbs.filter((_, t) => lossMask[t] === true),
  );
  return Math.exp(logProbs.reduce((sum, value) => sum + value, 0) / Math.max(1, logProbs.length));
}
