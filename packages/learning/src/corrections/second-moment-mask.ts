/**
 * Drops the fewest tokens that bring the second moment of the log-ratios within a limit. Stable on data
 * hundreds of versions old, because it drops only outliers.
 *
 * Source: Zheng et al. 2025, "Prosperity before Collapse" (M2PO), arXiv:2510.01161. Differs from it: the
 * ratio is that of the proximal policy, so all epochs of a minibatch share one selection.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { finiteAt, forEachLossToken, requireRows } from "../token-rows.ts";
import { corrected, type TokenLoss } from "./corrected-loss.ts";
import { type Correction, type CorrectionBatch, keptTokens } from "./correction.ts";

/**
 * 0 for the tokens with the largest (log proximal − log behavior)², as many as needed for the mean over the
 * kept ones to be at most `limit`. Ties are dropped together. Needs the whole minibatch.
 *
 * @param limit - nats²; 0.04 is the published value.
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

/** The largest of ascending values that can stay; −Infinity if none can. */
function largestKept(ascending: readonly number[], limit: number): number {
  let sum = ascending.reduce((total, value) => total + value, 0);
  for (let count = ascending.length; count > 0; count -= 1) {
    const value = ascending[count - 1] as number;
    // Rounding of the mean must not drop a value that is within the limit by itself.
    if (sum / count <= limit || value <= limit) return value;
    sum -= value;
  }
  return -Infinity;
}

/** `m2po`: `inner` without the fewest tokens that bring the log-ratios' second moment to `limit` nats². */
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
