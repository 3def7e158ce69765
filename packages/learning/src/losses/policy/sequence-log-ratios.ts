/** Log-ratios of whole sequences to an earlier policy, for sequence-level losses and corrections. */
import { finiteAt, type LossMask, type TokenRows } from "../../token-rows.ts";

/** The log-ratio of one sequence. */
export type SequenceLogRatio = {
  /** Positions of the loss tokens. */
  readonly tokens: readonly number[];
  /** Σ over the loss tokens of later − earlier. */
  readonly sumLogRatio: number;
  /** The mean over the loss tokens; 0 without any. */
  readonly meanLogRatio: number;
};

/** One log-ratio per sequence, over its loss tokens. The caller checks shapes. */
export function sequenceLogRatios(
  lossMask: LossMask,
  laterLogProbs: TokenRows,
  earlierLogProbs: TokenRows,
): SequenceLogRatio[] {
  return lossMask.map((row, b) => {
    const tokens = [...row.keys()].filter((t) => row[t]);
    const sumLogRatio = tokens.reduce(
      (sum, t) =>
        sum +
        finiteAt(laterLogProbs, "later log-probs", b, t) -
        finiteAt(earlierLogProbs, "earlier log-probs", b, t),
      0,
    );
    return {
      tokens,
      sumLogRatio,
      meanLogRatio: tokens.length === 0 ? 0 : sumLogRatio / tokens.length,
    };
  });
}
