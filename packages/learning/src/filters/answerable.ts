/**
 * `answerable`: a proposed task counts only where it can be solved from the proposer's own evidence, not
 * without it, and does not quote its answer.
 *
 * Source: Search Self-Play, SPICE (validity of proposals), RISE (no leak of the annotation).
 */
import { leaks } from "../rewards/reconstruct.ts";
import { requireInside } from "../statistics.ts";
import { type Selection, selectBy } from "./selection.ts";

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
