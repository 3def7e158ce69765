/**
 * `answerable`: a proposed task counts only if it can be solved with the proposer's evidence, not without it,
 * and does not quote its answer.
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

/** A proposed task with its measured solvability. */
export type Proposal = {
  readonly question: string;
  readonly answer: string;
  /** Share of a solver's successful rollouts, with the evidence in context and without it. */
  readonly solvedWithEvidence: number;
  readonly solvedWithout: number;
};

/** Thresholds of `answerableOnly`. */
export type AnswerableOptions = {
  /** Default 0.5. */
  readonly leastWithEvidence?: number;
  /** Above it the task needs no search. Default 0.9. */
  readonly mostWithout?: number;
};

/** Keeps proposals that are solvable with their evidence and not without; gives a reason for the others. */
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

/** `answerable`: keeps tasks that some rollouts solve by searching, and that not nearly all solve without. */
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

/**
 * If `looked`, the share of rollouts with calls whose tool results contain the answer; else the success rate
 * of rollouts without calls.
 */
function solvedShare({ trajectories }: RewardedGroup, looked: boolean): number {
  const own = trajectories.filter(({ trajectory }) => toolCalls(trajectory) > 0 === looked);
  const solved = own.filter(({ trajectory }) =>
    looked
      ? isSupported(wordsOf(trajectory, "answer"), resultsOf(trajectory))
      : trajectory.verification.success,
  );
  return own.length === 0 ? 0 : solved.length / own.length;
}
