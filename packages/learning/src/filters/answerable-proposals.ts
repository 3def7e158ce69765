/** Leaves out proposed tasks whose answer is not in what the proposer read. */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { PROPOSER, SOLVER } from "../rollouts/proposals.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/** What shows that a task has an answer: its setter's own word, or some try that was right. */
type Answered = "by-setter" | "by-some-try";

/** `answerable`: tries at tasks that nobody could show an answer of are left out; default the setter. */
export function answerableProposals(answered?: Answered): FilterPart {
  return definePart(
    { answered: option<Answered>(answered, "by-setter", ["by-setter", "by-some-try"]) },
    (given) =>
      filterPart("answerable", (groups) => {
        const byTries = given.answered === "by-some-try";
        const shown = new Set(
          groups.flatMap(({ trajectories }) =>
            trajectories.flatMap(({ trajectory: { id, role, joint, verification } }) => {
              if (role !== (byTries ? SOLVER : PROPOSER) || !verification.success) return [];
              return [byTries ? (joint ?? "") : id];
            }),
          ),
        );
        return keepTrajectories(groups, (trajectories) =>
          selectBy(trajectories, ({ trajectory }) =>
            trajectory.role === SOLVER && !shown.has(trajectory.joint ?? "")
              ? "not-answerable"
              : null,
          ),
        );
      }),
  );
}
