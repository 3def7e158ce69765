/**
 * Improving a policy on logged data without leaving it: imitation of what was done plus a push by
 * detached values, scaled so that their size does not matter. The actor's half of `td-bc`; the critic's
 * is `valueLoss` on TD targets.
 *
 * Sources: Fujimoto and Gu 2021, "A Minimalist Approach to Offline Reinforcement Learning" (TD3+BC),
 * arXiv:2106.06860, equations 4 and 5; a constraint per state, "Boosting Offline Reinforcement Learning
 * with Action Preference Query" (OAP), arXiv:2306.03362. Differs from them: actions are tokens, so the
 * push is a score-function gradient and not one through the critic.
 */
import type { LossResult } from "../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
} from "../token-rows.ts";
import type { AggregationOption } from "./aggregation.ts";
import { supervisedLoss } from "./supervised-loss.ts";

export type ConstrainedBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  /** Advantages of what was done, detached. */
  readonly advantages: TokenRows;
  /** Strength of the imitation at each token; absent = 1. */
  readonly constraints?: TokenRows | undefined;
};

/**
 * Σ share · −(strength·A / meanAbsolute + constraint)·log π_θ.
 *
 * @param strength - 2.5 is the published one.
 * @param meanAbsolute - mean |A| of the whole minibatch. Default: that of the batch.
 */
export function behaviorConstrained(
  batch: ConstrainedBatch,
  strength: number,
  options: AggregationOption & { readonly meanAbsolute?: number | undefined } = {},
): LossResult {
  const { lossMask, policyLogProbs, advantages, constraints } = batch;
  requireRows(lossMask, { policyLogProbs, advantages, constraints });
  const scale = options.meanAbsolute ?? meanAbsoluteAdvantage(batch);
  const weights = lossMask.map((row, b) =>
    Float64Array.from(row, (kept, t) =>
      kept
        ? (scale === 0 ? 0 : (strength * finiteAt(advantages, "advantages", b, t)) / scale) +
          (constraints === undefined ? 1 : finiteAt(constraints, "constraints", b, t))
        : 0,
    ),
  );
  return supervisedLoss({ lossMask, policyLogProbs, weights }, options);
}

/** Mean |A| over the loss tokens; 0 for none. */
export function meanAbsoluteAdvantage({
  lossMask,
  advantages,
}: Pick<ConstrainedBatch, "lossMask" | "advantages">): number {
  let count = 0;
  let sum = 0;
  forEachLossToken(lossMask, (b, t) => {
    count += 1;
    sum += Math.abs(finiteAt(advantages, "advantages", b, t));
  });
  return count === 0 ? 0 : sum / count;
}
