/**
 * Trust regions in probability instead of ratio: drops tokens whose probability moved too far from the
 * behavior policy's. A rare token may double within the region; a likely one may not.
 *
 * Sources: "DPPO" with binary total variation, as in prime-rl (its default), `rule: "away"`, threshold 0.2;
 * prime-rl's IPO mask, `rule: "either"`, threshold 0.1. Both add a small squared log-ratio.
 */
import { definePart, option } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import { clampedLogRatio, LOG_RATIO_LIMIT } from "../../log-ratio.ts";
import type { LossResult } from "../../loss.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { type BehaviorBatch, behaviorLoss } from "./policy-loss.ts";

/** Which tokens a probability gap drops, and the penalty on all tokens. */
export type ProbabilityGap = {
  /**
   * `away`: drops tokens that already moved in the direction of their advantage (A > 0 and π − μ > threshold,
   * or A < 0 and π − μ < −threshold). `either`: drops tokens with |π − μ| > threshold.
   */
  readonly rule: "away" | "either";
  /** A difference of probabilities, in (0, 1). */
  readonly threshold: number;
  /** Coefficient of (log π − log μ)², on every token. Published: 1e-3. */
  readonly penalty: number;
};

/** Σ w·(−keep·A·π/μ + penalty·(log π − log μ)²). Metric `clipFraction`: share of dropped tokens. */
export function probabilityGapSurrogate(
  batch: BehaviorBatch,
  { rule, threshold, penalty }: ProbabilityGap,
  options: AggregationOption = {},
): LossResult {
  return behaviorLoss(batch, options, ({ advantage, logProb, logRatio, ratio, ratioSlope }) => {
    const gap = Math.exp(logProb) - Math.exp(logProb - logRatio);
    const clipped =
      rule === "either" ? Math.abs(gap) > threshold : Math.sign(advantage) * gap > threshold;
    const bounded = clampedLogRatio(logRatio);
    const pull = Math.abs(logRatio) >= LOG_RATIO_LIMIT ? 0 : 2 * penalty * bounded;
    return {
      value: (clipped ? 0 : -advantage * ratio) + penalty * bounded * bounded,
      slope: (clipped ? 0 : -advantage * ratioSlope) + pull,
      clipped,
    };
  });
}

const THRESHOLDS = { away: 0.2, either: 0.1 } as const;

/**
 * `prob-gap`: drops tokens whose probability moved too far. `away` is DPPO's rule, `either` that of
 * prime-rl's IPO mask, each with its published threshold.
 */
export function probabilityGap(
  rule?: ProbabilityGap["rule"],
  threshold?: number,
  penalty?: number,
): LossPart {
  return definePart(
    {
      gapRule: option<ProbabilityGap["rule"]>(rule, "away", ["away", "either"]),
      // 0 = the published one of the rule.
      gapThreshold: option(threshold, 0),
      gapPenalty: option(penalty, 1e-3),
    },
    ({ gapRule, gapThreshold, gapPenalty: penalty }) => {
      const threshold = gapThreshold === 0 ? THRESHOLDS[gapRule] : gapThreshold;
      return lossPart("prob-gap", (minibatch) =>
        probabilityGapSurrogate(minibatch, { rule: gapRule, threshold, penalty }, minibatch),
      );
    },
  );
}
