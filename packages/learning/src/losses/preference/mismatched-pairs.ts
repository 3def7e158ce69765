/**
 * Mismatched pairs: each prompt of a minibatch followed by the completion of another row. Their log-ratio of
 * policy to reference measures how far the policy has moved overall, because no preference refers to them.
 *
 * Source: Ethayarajh et al. 2024, "KTO", arXiv:2402.01306, section 4.1; TRL's `_get_kl_dataset`, which moves
 * completions on by one row.
 * Differs from it: a pair is cut at the length of the longest row of the minibatch, not at a limit of its own.
 */
import type { TrainSequence } from "@waggle/protocol";
import { finiteAt, type LossMask, requireRows, type TokenRows } from "../../token-rows.ts";

/** The pairs as training sequences. */
export type MismatchedPairs = {
  readonly sequences: readonly TrainSequence[];
  readonly lossMask: LossMask;
};

/** Log-probs of mismatched pairs, detached. */
export type MismatchedLogProbs = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  readonly referenceLogProbs: TokenRows;
};

/** Row b: its own tokens before the first loss token, then row b − 1 from its first loss token. */
export function mismatchedPairs(
  sequences: readonly TrainSequence[],
  lossMask: LossMask,
): MismatchedPairs {
  const longest = Math.max(0, ...sequences.map(({ tokenIds }) => tokenIds.length));
  const starts = lossMask.map((row) => Math.max(0, row.indexOf(true)));
  const rows = sequences.map(({ tokenIds }, b) => {
    const prompt = tokenIds.slice(0, starts[b]);
    const other = (b + sequences.length - 1) % sequences.length;
    const completion = sequences[other]?.tokenIds.slice(starts[other]) ?? [];
    const mask = lossMask[other]?.slice(starts[other]) ?? [];
    return {
      tokenIds: [...prompt, ...completion].slice(0, longest),
      mask: [...prompt.map(() => false), ...mask].slice(0, longest),
    };
  });
  return {
    sequences: rows.map(({ tokenIds }) => ({ tokenIds })),
    lossMask: rows.map(({ mask }) => mask),
  };
}

/**
 * KTO's reference point: the mean over pairs of Σ log π − log ref, at least 0, in nats. 0 for a single row,
 * which pairs only with itself.
 */
export function mismatchedDivergence(pairs: MismatchedLogProbs): number {
  const { lossMask, policyLogProbs, referenceLogProbs } = pairs;
  requireRows(lossMask, { policyLogProbs, referenceLogProbs });
  if (lossMask.length < 2) return 0;
  let sum = 0;
  for (const [b, row] of lossMask.entries()) {
    for (const [t, counts] of row.entries()) {
      if (!counts) continue;
      sum +=
        finiteAt(policyLogProbs, "policyLogProbs", b, t) -
        finiteAt(referenceLogProbs, "referenceLogProbs", b, t);
    }
  }
  return Math.max(0, sum / lossMask.length);
}
