/** Keeps tasks of which the policy is unsure. */
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { filterPart, keepGroups, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/**
 * `student-fail` where nobody knows what is right: what is shown of tasks like those that the policy was
 * unsure of. How sure: the geometric mean of the probabilities of what it said, in [0, 1].
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

/** Geometric mean of the probabilities of the sampled tokens; 1 where nothing was sampled. */
function confidence({ samples }: JudgedTrajectory): number {
  const logProbs = samples.flatMap(({ lossMask, behaviorLogProbs }) =>
    behaviorLogProbs.filter((_, t) => lossMask[t] === true),
  );
  return Math.exp(logProbs.reduce((sum, value) => sum + value, 0) / Math.max(1, logProbs.length));
}
