/** Drops rollouts of proposed tasks without a confirmed answer. */
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart } from "../composition/part.ts";
import { PROPOSER, SOLVER } from "../rollouts/proposals.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectBy } from "./selection.ts";

/** How an answer is confirmed: the proposer's own rollout succeeded, or some rollout did. */
type Answered = "by-setter" | "by-some-try";

/**
 * `answerable`: drops rollouts of proposals without a confirmed answer; by default the proposer confirms it.
 */
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
