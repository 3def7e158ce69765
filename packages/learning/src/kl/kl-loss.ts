/**
 * The KL penalty to a reference policy as a loss term. k1 is not offered here: its expected gradient is 0, so
 * it belongs in the reward (`klRewards`). A run uses one of the two.
 *
 * Sources: estimators by Schulman 2020; that k3's gradient is not that of the KL divergence and k2's is,
 * Tang and Munos 2025, arXiv:2506.09477; k3 times the importance ratio, DeepSeek-AI 2025,
 * "DeepSeek-V3.2", arXiv:2512.02556, section 3.1.
 */
import { clampedLogRatio, clampedRatio, LOG_RATIO_LIMIT } from "../log-ratio.ts";
import type { LossResult } from "../loss.ts";
import { type AggregationOption, resolvedShares } from "../losses/aggregation.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../token-rows.ts";
import { klEstimate } from "./kl-estimators.ts";

/**
 * Which estimate of the KL divergence per token is the loss, and whose gradient it has. Names follow
 * Schulman 2020.
 */
export type KlForm =
  /** Value and gradient of ½(log π − log ref)². */
  | { readonly form: "k2" }
  /** Value and gradient of k3, as GRPO was published. */
  | { readonly form: "k3" }
  /** The value of k3 with the gradient of k2. */
  | { readonly form: "k3-with-k2-gradient" }
  /** k3 · π_θ / π_earlier, the gradient through both: unbiased where `earlier` sampled the tokens. */
  | { readonly form: "k3-by-ratio"; readonly earlierLogProbs: TokenRows };

/** All `[B][T]`. */
export type KlBatch = {
  readonly lossMask: LossMask;
  readonly policyLogProbs: TokenRows;
  readonly referenceLogProbs: TokenRows;
};

/**
 * coefficient · Σ share · estimate of KL(policy ‖ reference).
 *
 * @returns metric `referenceKl`: the token-mean of k3 in nats, for every form.
 */
export function klLoss(
  batch: KlBatch,
  coefficient: number,
  form: KlForm,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, policyLogProbs, referenceLogProbs } = batch;
  const earlierLogProbs = form.form === "k3-by-ratio" ? form.earlierLogProbs : undefined;
  requireRows(lossMask, { policyLogProbs, referenceLogProbs, earlierLogProbs });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let kl = 0;
  forEachLossToken(lossMask, (b, t) => {
    const policy = finiteAt(policyLogProbs, "policyLogProbs", b, t);
    const gap = policy - finiteAt(referenceLogProbs, "referenceLogProbs", b, t);
    const logRatio =
      earlierLogProbs === undefined
        ? 0
        : policy - finiteAt(earlierLogProbs, "earlierLogProbs", b, t);
    const { value, slope } = klTerm(form.form, gap, logRatio);
    const scale = coefficient * finiteAt(shares, "shares", b, t);
    loss += scale * value;
    (logProb[b] as Float64Array)[t] = scale * slope;
    kl += klEstimate("k3", gap) * perToken;
  });
  return { loss, derivatives: { logProb }, metrics: { referenceKl: kl } };
}

function klTerm(
  form: KlForm["form"],
  gap: number,
  logRatio: number,
): { readonly value: number; readonly slope: number } {
  const k3 = klEstimate("k3", gap);
  const k3Slope = Math.abs(gap) >= LOG_RATIO_LIMIT ? 0 : 1 - Math.exp(-gap);
  switch (form) {
    case "k2":
      return { value: klEstimate("k2", gap), slope: gap };
    case "k3":
      return { value: k3, slope: k3Slope };
    case "k3-with-k2-gradient":
      return { value: k3, slope: clampedLogRatio(gap) };
    case "k3-by-ratio": {
      const ratio = clampedRatio(logRatio);
      const ratioSlope = Math.abs(logRatio) >= LOG_RATIO_LIMIT ? 0 : ratio;
      return { value: ratio * k3, slope: ratioSlope * k3 + ratio * k3Slope };
    }
  }
}
