/**
 * `fitness`: scores of parameter perturbations as the weights of their sum. Not per token, not per
 * trajectory: one number a seed.
 *
 * Source: Salimans et al. 2017, "Evolution Strategies", arXiv:1703.03864 (centered
 * ranks); Qiu et al. 2025, "Evolution Strategies at Scale", arXiv:2509.24372 (z-scores).
 */
import { deviationOf, meanOf, requireGroup } from "../statistics.ts";

/** `[N]` (score − mean)/population deviation; all 0 where all scored alike. */
export function standardizedFitness(scores: readonly number[]): number[] {
  requireGroup(scores);
  const mean = meanOf(scores);
  const deviation = deviationOf(scores, "population");
  return scores.map((score) => (deviation === 0 ? 0 : (score - mean) / deviation));
}

/** `[N]` ranks mapped to [−0.5, 0.5], equal scores sharing their mean rank; all 0 where all are equal. */
export function rankedFitness(scores: readonly number[]): number[] {
  requireGroup(scores);
  return scores.map((score) => {
    const below = scores.filter((other) => other < score).length;
    const equal = scores.filter((other) => other === score).length;
    return (below + (equal - 1) / 2) / (scores.length - 1) - 0.5;
  });
}
