/**
 * The unclipped surrogate with a penalty that pulls selected tokens back to the proximal policy (`kl-cov`):
 * the tokens whose covariance of log-prob and advantage drives entropy down. `covarianceMask` selects them.
 * `clip-cov` uses the same mask in the weights of a clipped surrogate.
 *
 * Source: Cui et al. 2025, "The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models",
 * arXiv:2505.22617, section 4.3. Differs from it: the penalty is ½(log r)², whose gradient is that of the KL
 * divergence; the published code has |log r|, whose gradient does not fade at 1.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { LossPart } from "../../composition/part.ts";
import { topCovarianceTokens } from "../../corrections/covariance-mask.ts";
import { clampedLogRatio, LOG_RATIO_LIMIT } from "../../log-ratio.ts";
import type { LossResult } from "../../loss.ts";
import { finiteAt, requireRows, type TokenRows } from "../../token-rows.ts";
import type { AggregationOption } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";
import { type ProximalBatch, proximalLoss } from "./policy-loss.ts";

/**
 * Σ w·(−A·r + coefficient·½(log r)²·penalized).
 *
 * @param batch - `penalized` is `[B][T]` of 0 and 1, detached.
 */
export function covariancePenaltyLoss(
  batch: ProximalBatch & { readonly penalized: TokenRows },
  coefficient: number,
  options: AggregationOption = {},
): LossResult {
  requireRows(batch.lossMask, { penalized: batch.penalized });
  return proximalLoss(batch, options, ({ b, t, advantage, logRatio, ratio, ratioSlope }) => {
    const strength = coefficient * finiteAt(batch.penalized, "penalized", b, t);
    const bounded = clampedLogRatio(logRatio);
    const pull = Math.abs(logRatio) >= LOG_RATIO_LIMIT ? 0 : strength * bounded;
    return {
      value: -advantage * ratio + 0.5 * strength * bounded * bounded,
      slope: -advantage * ratioSlope + pull,
    };
  });
}

/**
 * `kl-cov`: no clipping; the `share` of tokens with the highest covariance is pulled back to the proximal
 * policy.
 */
export function covariancePenalty(share?: number, coefficient?: number): LossPart {
  return definePart(
    {
      covariancePenaltyShare: option(share, 2e-3),
      covariancePenaltyCoefficient: option(coefficient, 1),
    },
    ({ covariancePenaltyShare: share, covariancePenaltyCoefficient: coefficient }) =>
      lossPart("kl-cov", (minibatch) =>
        covariancePenaltyLoss(
          { ...minibatch, penalized: topCovarianceTokens(minibatch, share) },
          coefficient,
          minibatch,
        ),
      ),
  );
}
