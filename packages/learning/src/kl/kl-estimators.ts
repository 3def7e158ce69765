/**
 * Estimates of KL(p ‖ q) from one token that p sampled, as functions of log p − log q.
 *
 * Source: Schulman 2020, "Approximating KL Divergence".
 */
import { clampedLogRatio } from "../log-ratio.ts";
import { forEachLossToken, type LossMask, type TokenRows } from "../token-rows.ts";

/**
 * `k1`: log p − log q, unbiased, of either sign. `k2`: half its square, biased, low variance, the right
 * gradient. `k3`: q/p − 1 − log(q/p), unbiased, never negative, the wrong gradient.
 */
export type KlEstimator = "k1" | "k2" | "k3";

/** One token's estimate in nats (k2: nats²); the log-ratio is clamped to ±20 before `exp`. */
export function klEstimate(estimator: KlEstimator, logRatio: number): number {
  switch (estimator) {
    case "k1":
      return logRatio;
    case "k2":
      return 0.5 * logRatio * logRatio;
    case "k3": {
      const bounded = clampedLogRatio(logRatio);
      return Math.exp(-bounded) - 1 + bounded;
    }
  }
}

/**
 * Estimate of KL(policy ‖ other) in nats per token: the mean of k3 over the masked tokens.
 *
 * @param drawnLogProbs - log-probs under the policy that drew the tokens, where that is another one. Each token then
 *   counts with its importance weight. Without it, a drawn token that the policy has become unlikely to draw counts as if
 *   it came often, and one such token can outweigh a thousand others.
 * @returns `NaN` without masked tokens, or if a log-prob is missing.
 */
export function sampledKl(
  lossMask: LossMask,
  policyLogProbs: TokenRows,
  otherLogProbs: TokenRows,
  drawnLogProbs: TokenRows = policyLogProbs,
): number {
  let [sum, tokens] = [0, 0];
  forEachLossToken(lossMask, (b, t) => {
    const ofPolicy = policyLogProbs[b]?.[t] ?? Number.NaN;
    const weight = Math.exp(clampedLogRatio(ofPolicy - (drawnLogProbs[b]?.[t] ?? Number.NaN)));
    sum += weight * klEstimate("k3", ofPolicy - (otherLogProbs[b]?.[t] ?? Number.NaN));
    tokens += 1;
  });
  return sum / tokens;
}
