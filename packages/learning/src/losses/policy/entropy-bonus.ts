/**
 * Rewards a policy for staying uncertain: −coefficient · entropy, aggregated over the loss tokens.
 *
 * Source: Williams and Peng 1991, "Function Optimization Using Connectionist Reinforcement Learning
 * Algorithms". The entropy is that of the distribution the token was sampled from.
 */
import { WaggleError } from "@waggle/protocol";
import type { LossPart } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../../token-rows.ts";
import { type AggregationOption, resolvedShares } from "../aggregation.ts";
import { lossPart } from "../loss-part.ts";

/**
 * @param coefficient - nats of loss per nat of entropy, ≥ 0; usually 0 to 0.01.
 * @returns zeros if the coefficient is 0 and the engine gives no entropies.
 * @throws WaggleError `CAPABILITY_MISSING` if the coefficient is not 0 and there are no entropies.
 */
export function entropyBonusLoss(
  batch: { readonly lossMask: LossMask; readonly entropies?: TokenRows | undefined },
  coefficient: number,
  options: AggregationOption = {},
): LossResult {
  const { lossMask, entropies } = batch;
  if (entropies === undefined) {
    if (coefficient === 0) return { loss: 0, derivatives: {}, metrics: {} };
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `an entropy bonus with coefficient ${coefficient} needs entropies; set the coefficient to 0, or choose an engine that returns them`,
    );
  }
  requireRows(lossMask, { entropies });
  const { shares, perToken } = resolvedShares(lossMask, options);
  const entropy = zeroRows(lossMask);
  let loss = 0;
  let sum = 0;
  forEachLossToken(lossMask, (b, t) => {
    const value = finiteAt(entropies, "entropies", b, t);
    const share = finiteAt(shares, "shares", b, t);
    sum += value * perToken;
    loss -= coefficient * share * value;
    (entropy[b] as Float64Array)[t] = -coefficient * share;
  });
  return {
    loss,
    derivatives: coefficient === 0 ? {} : { entropy },
    metrics: { entropy: sum },
  };
}

/** `entropy-bonus`: rewards the policy for uncertainty. */
export function entropyBonus(coefficient: number): LossPart {
  return lossPart(
    "entropy-bonus",
    (minibatch) => entropyBonusLoss(minibatch, coefficient, minibatch),
    { derivatives: ["entropy"] },
  );
}
