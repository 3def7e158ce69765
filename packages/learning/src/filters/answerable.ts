/**
 * `answerable`: a proposed task counts only where it can be solved from the proposer's own evidence, not
 * without it, and does not quote its answer.
 *
 * Source: Search Self-Play, SPICE (validity of proposals), RISE (no leak of the annotation).
 */
import { option, definePart } from "../composition/part-options.ts";
import { type JudgedTrajectory, toolCalls } from "../composition/judged-trajectory.ts";
import type { FilterPart, RewardedGroup } from "../composition/part.ts";
import { resultsOf, wordsOf } from "../rewards/answer-match.ts";
import { isSupported } from "../rewards/grounding.ts";
import { leaks } from "../rewards/reconstruct.ts";
import { requireInside } from "../statistics.ts";
import { filterPart, keepGroups } from "./filter-part.ts";
import { selectBy } from "./selection.ts";
import type { Selection } from "./selected.ts";

export type Proposal = {
  readonly question: string;
  readonly answer: string;
  /** Share of a solver's rollouts that succeed with the evidence in context, and with nothing. */
  readonly solvedWithEvidence: number;
  readonly solvedWithout: number;
};

export type AnswerableOptions = {
  /** Default 0.5. */
  readonly leastWithEvidence?: number;
  /** Above it the task needs no search. Default 0.9. */
  readonly mostWithout?: number;
};

export function answerableOnly(
  proposals: readonly Proposal[],
  { leastWithEvidence = 0.5, mostWithout = 0.9 }: AnswerableOptions = {},
): Selection {
  return selectBy(proposals, ({ question, answer, solvedWithEvidence, solvedWithout }) => {
    requireInside("solvedWithEvidence", solvedWithEvidence, 0, 1);
    if (answer.trim() === "") return "no-answer";
    if (leaks(question, answer)) return "answer-quoted";
    if (solvedWithEvidence < leastWithEvidence) return "not-answerable";
    return solvedWithout > mostWithout ? "needs-no-evidence" : null;
  });
}

/**
 * `answerable`: tasks that some rollouts solve with what they looked up, and not nearly all without
 * looking.
 */
export function answerable(leastWithEvidence?: number, mostWithout?: number): FilterPart {
  return definePart(
    { leastWithEvidence: option(leastWithEvidence, 0.1), mostWithout: option(mostWithout, 0.9) },
    ({ leastWithEvidence, mostWithout }) =>
      filterPart("answerable", (groups) =>
        keepGroups(groups, (all) =>
          answerableOnly(
            all.map((group) => {
              const first = group.trajectories[0]?.trajectory as JudgedTrajectory;
              return {
                question: wordsOf(first, "request"),
                answer: wordsOf(first, "answer"),
                solvedWithEvidence: solvedShare(group, true),
                solvedWithout: solvedShare(group, false),
              };
            }),
            { leastWithEvidence, mostWithout },
          ),
        ),
      ),
  );
}

/** Of rollouts whose last tool result holds the answer, or of those that looked nothing up. */
function solvedShare({ trajectories }: RewardedGroup, looked: boolean): number {
  const own = trajectories.filter(({ trajectory }) => toolCalls(trajectory) > 0 === looked);
  const solved = own.filter(({ trajectory }) =>
    looked
      ? isSupported(wordsOf(trajectory, "answer"), resultsOf(trajectory))
      : trajectory.verification.success,
  );
  return own.length === 0 ? 0 : solved.length / own.length;
}
