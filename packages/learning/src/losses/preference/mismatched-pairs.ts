/**
 * Mismatched pairs: each prompt of a minibatch followed by the completion of another row. Their log-ratio of
 * policy to reference measures how far the policy has moved overall, because no preference refers to them.
 *
 * Source: Ethayarajh et al. 2024, "KTO", arXiv:2402.01306, section 4.1: z0 = max(0, 1/m Σ log π(y_j|x_i) − log ref(y_j|x_i))
 * over the m rows of a minibatch, with y_j the completion of another row, and no gradient through it. TRL's `_get_kl_dataset`
 * moves completions on by one row.
 * Differs from it: a pair is at most as long as the longest row of the minibatch, and counts only if a token of the completion
 * is left. The weight of a pair is the product of the weights of its two rows.
 */
import type { TrainSequence } from "@waggle/protocol";
import { meanOf, requireSameLength, sumOf } from "../../statistics.ts";
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

/**
 * Row b: its own tokens before the first loss token, then row b − 1 from its first loss token. Each token of a completion keeps
 * the temperature and the kept set of its row: the log-ratios of the rows, which the divergence is compared with, are those of
 * the distributions that were sampled from.
 */
export function mismatchedPairs(
  sequences: readonly TrainSequence[],
  lossMask: LossMask,
): MismatchedPairs {
  const longest = Math.max(0, ...sequences.map(({ tokenIds }) => tokenIds.length));
  const starts = lossMask.map((row) => Math.max(0, row.indexOf(true)));
  const rows = sequences.map(({ tokenIds }, b) => {
    const prompt = tokenIds.slice(0, starts[b]);
    const other = before(b, sequences.length);
    const source: TrainSequence = sequences[other] ?? { tokenIds: [] };
    const { temperatures, keptTokenIds } = source;
    const joined = <T>(ofPrompt: T, completion: readonly T[]): T[] =>
      [...prompt.map(() => ofPrompt), ...completion.slice(starts[other])].slice(0, longest);
    return {
      sequence: {
        tokenIds: [...prompt, ...source.tokenIds.slice(starts[other])].slice(0, longest),
        ...(temperatures !== undefined && {
          temperatures: typeof temperatures === "number" ? temperatures : joined(1, temperatures),
        }),
        ...(keptTokenIds !== undefined && { keptTokenIds: joined(null, keptTokenIds) }),
      },
      mask: joined(false, lossMask[other] ?? []),
    };
  });
  return {
    sequences: rows.map(({ sequence }) => sequence),
    lossMask: rows.map(({ mask }) => mask),
  };
}

/** The row whose completion follows the prompt of row `b`. */
function before(b: number, rows: number): number {
  return (b + rows - 1) % rows;
}

/**
 * KTO's reference point: the mean over pairs of Σ log π − log ref, at least 0, in nats. 0 for a single row, which pairs only with
 * itself.
 *
 * @param weights - `[B]` of the rows. A pair weighs the product of those of its prompt and its completion, so that the mean is
 *   over the same requests as the loss. Default 1.
 */
export function mismatchedDivergence(
  pairs: MismatchedLogProbs,
  weights: readonly number[] = pairs.lossMask.map(() => 1),
): number {
  const { lossMask, policyLogProbs, referenceLogProbs } = pairs;
  requireRows(lossMask, { policyLogProbs, referenceLogProbs });
  requireSameLength("weights", weights.length, "rows", lossMask.length);
  if (lossMask.length < 2) return 0;
  const counted = [...lossMask.keys()].filter((b) => lossMask[b]?.includes(true));
  if (counted.length === 0) return 0;
  const ratios = counted.map((b) =>
    sumOf(
      (lossMask[b] ?? []).map((counts, t) =>
        counts
          ? finiteAt(policyLogProbs, "policyLogProbs", b, t) -
            finiteAt(referenceLogProbs, "referenceLogProbs", b, t)
          : 0,
      ),
    ),
  );
  const ofPairs = counted.map(
    (b) => (weights[b] ?? 1) * (weights[before(b, lossMask.length)] ?? 1),
  );
  return Math.max(0, meanOf(ratios, ofPairs));
}
