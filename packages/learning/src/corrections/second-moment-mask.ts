/**
 * Leaving out the fewest tokens that bring the second moment of the log-ratios under a limit: stable on
 * data hundreds of versions old, because only outliers go.
 *
 * Source: Zheng et al. 2025, "Prosperity before Collapse" (M2PO), arXiv:2510.01161. Differs from it: the
 * ratio is that of the policy at the step's start, so one choice holds for all epochs of a minibatch.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { finiteAt, forEachLossToken, requireRows } from "../token-rows.ts";
import { corrected, type TokenLoss } from "./corrected-loss.ts";
import { type Correction, type CorrectionBatch, keptTokens } from "./correction.ts";

/**
 * 0 for the tokens with the largest (log proximal − log behavior)², as many as it takes until the mean
 * over the kept ones is at most `limit`. Ties go together. Over the whole minibatch.
 *
 * @param limit - nats²; 0.04 is the published one.
 */
export function secondMomentMask(batch: CorrectionBatch, limit: number = 0.04): Correction {
  const { lossMask, proximalLogProbs, behaviorLogProbs } = batch;
  requireRows(lossMask, { proximalLogProbs, behaviorLogProbs });
  const squareAt = (b: number, t: number): number =>
    (finiteAt(proximalLogProbs, "proximalLogProbs", b, t) -
      finiteAt(behaviorLogProbs, "behaviorLogProbs", b, t)) **
    2;
  const squares: number[] = [];
  forEachLossToken(lossMask, (b, t) => squares.push(squareAt(b, t)));
  const largest = largestKept(
    squares.toSorted((a, b) => a - b),
    limit,
  );
  return keptTokens(lossMask, (b, t) => squareAt(b, t) <= largest, "secondMomentKept");
}

/** The largest of ascending values that may stay; −Infinity where none may. */
function largestKept(ascending: readonly number[], limit: number): number {
  let sum = ascending.reduce((total, value) => total + value, 0);
  for (let count = ascending.length; count > 0; count -= 1) {
    const value = ascending[count - 1] as number;
    // A mean of sums that lost digits must not refuse what lies within the limit by itself.
    if (sum / count <= limit || value <= limit) return value;
    sum -= value;
  }
  return -Infinity;
}

/** `m2po`: without the fewest tokens that bring the log-ratios' second moment to `limit` nats². */
export function secondMoment<N extends StateName>(
  inner: TokenLoss<N>,
  limit?: number,
): LossPart<N> {
  return definePart(
    { secondMomentLimit: option(limit, 0.04) },
    ({ secondMomentLimit: limit }, [inner]) =>
      corrected("m2po", inner, (minibatch) => secondMomentMask(minibatch, limit)),
    [inner],
  );
}
