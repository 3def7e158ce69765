/**
 * Selects tokens whose covariance of log-prob and advantage is so high that they alone make entropy collapse,
 * to drop them (`cov-mask`, clip-cov) or to pull them back (kl-cov).
 *
 * Sources: Cui et al. 2025, "The Entropy Mechanism of Reinforcement Learning for Reasoning Language Models",
 * arXiv:2505.22617, equations 9 to 12; used with self-imitation in SPEAR, arXiv:2509.22601.
 * Differs from it: log-probs are the proximal ones, so there is one selection for the whole minibatch, shared
 * by its microbatches and epochs.
 */
import { definePart } from "../composition/part-options.ts";
import type { LossPart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { lossPart, withTokenWeights } from "../losses/loss-part.ts";
import {
  finiteAt,
  forEachLossToken,
  type LossMask,
  requireRows,
  type TokenRows,
} from "../token-rows.ts";
import { type Correction, keptTokens } from "./correction.ts";

/** A whole minibatch. */
export type CovarianceBatch = {
  readonly lossMask: LossMask;
  readonly advantages: TokenRows;
  readonly proximalLogProbs: TokenRows;
};

/** `[B][T]` (log π − mean)·(A − mean), means over the loss tokens; 0 outside the mask. */
export function tokenCovariances(batch: CovarianceBatch): Float64Array[] {
  const { lossMask, advantages, proximalLogProbs } = batch;
  requireRows(lossMask, { advantages, proximalLogProbs });
  let count = 0;
  let logProbs = 0;
  let total = 0;
  forEachLossToken(lossMask, (b, t) => {
    count += 1;
    logProbs += finiteAt(proximalLogProbs, "proximalLogProbs", b, t);
    total += finiteAt(advantages, "advantages", b, t);
  });
  return lossMask.map((row, b) =>
    Float64Array.from(row, (kept, t) =>
      kept
        ? ((proximalLogProbs[b]?.[t] as number) - logProbs / count) *
          ((advantages[b]?.[t] as number) - total / count)
        : 0,
    ),
  );
}

/**
 * 0 for at most a `share` of the loss tokens (at least one), drawn at random among those whose covariance is
 * in (lowest, highest); 1 for the rest.
 *
 * @param random - yields [0, 1).
 */
export function covarianceMask(
  batch: CovarianceBatch,
  choice: { readonly share: number; readonly lowest: number; readonly highest: number },
  random: () => number,
): Correction {
  const covariances = tokenCovariances(batch);
  const candidates: [number, number][] = [];
  let count = 0;
  forEachLossToken(batch.lossMask, (b, t) => {
    count += 1;
    const covariance = covariances[b]?.[t] as number;
    if (covariance > choice.lowest && covariance < choice.highest) candidates.push([b, t]);
  });
  const wanted = Math.min(candidates.length, Math.max(1, Math.floor(choice.share * count)));
  const chosen = new Set<string>();
  for (let i = 0; i < wanted; i += 1) {
    const j = i + Math.floor(random() * (candidates.length - i));
    [candidates[i], candidates[j]] = [
      candidates[j] as [number, number],
      candidates[i] as [number, number],
    ];
    chosen.add((candidates[i] as [number, number]).join());
  }
  return keptTokens(batch.lossMask, (b, t) => !chosen.has([b, t].join()), "covarianceMaskKept");
}

/** `[B][T]` 1 for the `share` of loss tokens (at least one) with the highest covariance, else 0. */
export function topCovarianceTokens(batch: CovarianceBatch, share: number): Float64Array[] {
  const covariances = tokenCovariances(batch);
  const ranked: { readonly b: number; readonly t: number; readonly covariance: number }[] = [];
  forEachLossToken(batch.lossMask, (b, t) => {
    ranked.push({ b, t, covariance: covariances[b]?.[t] as number });
  });
  ranked.sort((x, y) => y.covariance - x.covariance);
  const chosen = batch.lossMask.map((row) => new Float64Array(row.length));
  const wanted = Math.min(ranked.length, Math.max(1, Math.floor(share * ranked.length)));
  for (const { b, t } of ranked.slice(0, wanted)) (chosen[b] as Float64Array)[t] = 1;
  return chosen;
}

/** `cov-mask`: `inner` without randomly drawn tokens of high covariance of log-prob and advantage. */
export function covMask<N extends StateName>(
  inner: LossPart<N>,
  options: Parameters<typeof covarianceMask>[1],
): LossPart<N> {
  return definePart(
    {},
    (_, [loss]) =>
      lossPart(
        "cov-mask",
        (minibatch, context) => {
          const { weights } = covarianceMask(minibatch, options, context.random);
          return loss.compute(withTokenWeights(minibatch, weights), context);
        },
        { ...loss, around: [loss] },
      ),
    [inner],
  );
}
