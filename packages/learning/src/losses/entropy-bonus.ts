/**
 * Rewards a policy for staying uncertain: −coefficient · mean entropy over the loss tokens.
 *
 * Source: Williams and Peng 1991, "Function Optimization Using Connectionist Reinforcement Learning
 * Algorithms". The entropy is that of the distribution the token was sampled from.
 */
import { WaggleError } from "@waggle/protocol";
import { type LossResult, type TokenCountOption, tokenMeanScale } from "../loss.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
  zeroRows,
} from "../token-rows.ts";

/**
 * @param coefficient - nats of loss per nat of entropy, ≥ 0; usually 0 to 0.01.
 * @returns nothing but zeros where the engine has no entropies and none are asked for.
 * @throws WaggleError `CAPABILITY_MISSING` where they are asked for and absent.
 */
export function entropyBonus(
  batch: { readonly lossMask: LossMask; readonly entropies?: TokenRows | undefined },
  coefficient: number,
  options: TokenCountOption = {},
): LossResult {
  const { lossMask, entropies } = batch;
  if (entropies === undefined) {
    if (coefficient === 0) return { loss: 0, derivatives: {}, metrics: {} };
    throw new WaggleError(
      "CAPABILITY_MISSING",
      `an entropy bonus needs entropies, got none with coefficient ${coefficient}; set it to 0 or choose an engine that has them`,
    );
  }
  requireRows(lossMask, { entropies });
  const scale = tokenMeanScale(lossMask, options);
  const entropy = zeroRows(lossMask);
  let sum = 0;
  forEachLossToken(lossMask, (b, t) => {
    sum += finiteAt(entropies, "entropies", b, t) * scale;
    (entropy[b] as Float64Array)[t] = -coefficient * scale;
  });
  return {
    loss: -coefficient * sum,
    derivatives: coefficient === 0 ? {} : { entropy },
    metrics: { entropy: sum },
  };
}
