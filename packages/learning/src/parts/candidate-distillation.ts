/**
 * `distill-candidates`: the student's distribution at each of its own tokens is pulled to the teacher's,
 * over the tokens that the teacher finds likeliest there.
 *
 * Source: Agarwal et al. 2023, "On-Policy Distillation of Language Models" (GKD), arXiv:2306.13649. Differs
 * from it: over the teacher's likeliest tokens and the rest as one class, not over the whole vocabulary,
 * so that what is kept of a position does not grow with the vocabulary.
 */
import { WaggleError } from "@waggle/protocol";
import type { LossPart } from "../composition/part.ts";
import {
  candidateDistillation,
  type CandidateDivergence,
  type CandidateLogProbs,
} from "../losses/distillation.ts";
import { lossPart } from "./loss-part.ts";

/** @param count - of the teacher's tokens at a position, ≥ 1. */
export function distilledCandidates(
  count = 16,
  divergence: CandidateDivergence = { direction: "reverse", support: "with-rest" },
): LossPart<"teacher"> {
  if (!(Number.isInteger(count) && count >= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `distill-candidates needs a whole number of tokens from 1 at each position, got ${count}; set another count`,
    );
  }
  const part = lossPart(
    "distill-candidates",
    (minibatch) => {
      const shares = minibatch.shares.map((row, b) =>
        Float64Array.from(row, (share, t) => share * (minibatch.weights[b]?.[t] ?? 0)),
      );
      return candidateDistillation(
        {
          lossMask: minibatch.lossMask,
          candidateLogProbs: given(minibatch.candidateLogProbs),
          teacherLogProbs: given(minibatch.teacherCandidateLogProbs),
        },
        divergence,
        { shares, tokenCount: minibatch.tokenCount },
      );
    },
    { needs: ["teacher"], derivatives: ["candidateLogProbs"] },
  );
  return { ...part, candidates: count };
}

function given(rows: CandidateLogProbs | undefined): CandidateLogProbs {
  if (rows !== undefined) return rows;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    "loss distill-candidates needs log-probs of a teacher's likeliest tokens, got none; open a teacher that says which they are or choose another recipe",
  );
}
