/**
 * `vrpo`: DPO with log-probs of whole answers estimated from drawn tokens, as a diffusion model's are. Policy
 * and reference are estimated from the same draw, so the noise of the draw cancels in their difference. Draws
 * use distinct mask sizes. A model that knows every token's log-prob does not need it: there it equals plain
 * DPO in expectation, for part of the tokens.
 *
 * Source: Zhu et al. 2025, "LLaDA 1.5: Variance-Reduced Preference Optimization for Large Language Diffusion
 * Models", arXiv:2505.19223, section 3 (shared draws, one mask a drawn step).
 * Differs from it: the term of a drawn token is its log-prob given the tokens before it, not given all
 * unmasked tokens.
 */
import { WaggleError } from "@waggle/protocol";
import { definePart, option } from "../../composition/part-options.ts";
import type { PairLoss } from "../../composition/part.ts";
import type { LossResult } from "../../loss.ts";
import type { LossMask, TokenRows } from "../../token-rows.ts";
import { pairLoss } from "../loss-part.ts";
import { dpoLoss, type DpoOptions } from "./dpo.ts";
import { batchOf, type PreferenceBatch } from "./preference-pairs.ts";

/** How tokens are drawn. */
export type VarianceReduction = {
  /** Masks drawn for each answer, ≥ 1. */
  readonly draws: number;
  /** Yields [0, 1), seeded. */
  readonly random: () => number;
};

/** DPO on Σ weight · log-prob, with the weights of `drawnTokenWeights` shared by both policies. */
export function varianceReducedPreference(
  batch: PreferenceBatch,
  { draws, random, ...options }: DpoOptions & VarianceReduction,
): LossResult {
  const weights = drawnTokenWeights(batch.lossMask, { draws, random });
  const weighted = (rows: TokenRows): Float64Array[] =>
    rows.map((row, b) =>
      Float64Array.from(row, (value, t) => {
        const weight = weights[b]?.[t] ?? 0;
        return weight === 0 ? 0 : weight * value;
      }),
    );
  const result = dpoLoss(
    {
      ...batch,
      policyLogProbs: weighted(batch.policyLogProbs),
      referenceLogProbs: weighted(batch.referenceLogProbs),
    },
    options,
  );
  return { ...result, derivatives: { logProb: weighted(result.derivatives.logProb ?? []) } };
}

/**
 * `[B][T]` weight of each token in the estimate of its row's sum: the mean over draws of L / l if it is among
 * the l masked of L tokens, else 0. Each weight has mean 1. The draws' l are stratified over 1 … L.
 *
 * @throws WaggleError `INVALID_ARGUMENT` for fewer than one draw.
 */
export function drawnTokenWeights(
  lossMask: LossMask,
  { draws, random }: VarianceReduction,
): Float64Array[] {
  if (!(Number.isInteger(draws) && draws >= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `draws must be an integer of at least 1, got ${draws}; 8 is usual`,
    );
  }
  return lossMask.map((mask) => {
    const weights = new Float64Array(mask.length);
    const tokens = [...mask.keys()].filter((t) => mask[t]);
    for (let draw = 0; draw < draws && tokens.length > 0; draw += 1) {
      const masked = 1 + Math.floor((tokens.length * (draw + random())) / draws);
      const left = [...tokens];
      for (let i = 0; i < masked; i += 1) {
        const [t] = left.splice(Math.floor(random() * left.length), 1) as [number];
        weights[t] = (weights[t] as number) + tokens.length / masked / draws;
      }
    }
    return weights;
  });
}

/** `vrpo`: DPO from `draws` masks of each answer, shared by policy and reference. Defaults: β 0.1, 8 draws. */
export function vrpo(beta?: number, draws?: number): PairLoss<"ref"> {
  return definePart({ beta: option(beta, 0.1), draws: option(draws, 8) }, ({ beta, draws }) =>
    pairLoss(
      "vrpo",
      (minibatch, { random }) =>
        varianceReducedPreference(batchOf(minibatch, "vrpo"), { beta, draws, random }),
      { needs: ["ref"] },
    ),
  );
}
