/**
 * The clipped surrogate with separate bounds, averaged over the tokens of the whole minibatch.
 *
 * Source: Schulman et al. 2017, "PPO", arXiv:1707.06347, equation 7; separate bounds ("clip
 * higher") and token-mean from Yu et al. 2025, "DAPO", arXiv:2503.14476, equations 8 and 12;
 * decoupled from what sampled by detached weights, Hilton et al. 2022, arXiv:2110.00641.
 */
import { clampedRatio, LOG_RATIO_LIMIT } from "../corrections/importance-weights.ts";
import { type LossResult, type TokenCountOption, tokenMeanScale } from "../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../token-rows.ts";

/** A minibatch (or a microbatch of it) as a policy-gradient loss sees it; all `[B][T]`. */
export type SurrogateBatch = {
  readonly lossMask: LossMask;
  readonly advantages: TokenRows;
  /** log π_θ, the one being differentiated. */
  readonly policyLogProbs: TokenRows;
  /** log π of the trainer's weights when the update began. */
  readonly proximalLogProbs: TokenRows;
  /** Detached weight of each token; absent = 1. */
  readonly weights?: TokenRows;
};

export type ClipBounds = {
  /** The ratio is clipped at 1 − lower. */
  readonly lower: number;
  /** The ratio is clipped at 1 + upper. */
  readonly upper: number;
};

/**
 * Σ w·max(−A·r, −A·clip(r, 1 − lower, 1 + upper)) / tokenCount with r = π_θ / π_proximal.
 *
 * @returns the derivative with respect to `logProb` is 0 where the clip binds and outside the mask.
 */
export function clippedSurrogate(
  batch: SurrogateBatch,
  bounds: ClipBounds,
  options: TokenCountOption = {},
): LossResult {
  const { lossMask, advantages, policyLogProbs, proximalLogProbs, weights } = batch;
  requireRows(lossMask, { advantages, policyLogProbs, proximalLogProbs, weights });
  const scale = tokenMeanScale(lossMask, options);
  const logProb = zeroRows(lossMask);
  let loss = 0;
  let clipped = 0;
  let ratios = 0;
  let kl = 0;
  forEachLossToken(lossMask, (b, t) => {
    const A = finiteAt(advantages, "advantages", b, t);
    const w = weights === undefined ? 1 : finiteAt(weights, "weights", b, t);
    const logRatio =
      finiteAt(policyLogProbs, "policyLogProbs", b, t) -
      finiteAt(proximalLogProbs, "proximalLogProbs", b, t);
    const r = clampedRatio(logRatio);
    const open = -A * r;
    const bounded = -A * Math.min(1 + bounds.upper, Math.max(1 - bounds.lower, r));
    const isClipped = bounded > open;
    loss += w * (isClipped ? bounded : open) * scale;
    clipped += isClipped ? 1 : 0;
    ratios += r;
    kl += r - 1 - Math.log(r);
    const flat = isClipped || Math.abs(logRatio) >= LOG_RATIO_LIMIT;
    (logProb[b] as Float64Array)[t] = flat ? 0 : w * open * scale;
  });
  return {
    loss,
    derivatives: { logProb },
    metrics: {
      clipFraction: clipped * scale,
      importanceRatioMean: ratios * scale,
      // k3 estimate of KL(proximal ‖ policy), in nats.
      proximalKl: kl * scale,
    },
  };
}
