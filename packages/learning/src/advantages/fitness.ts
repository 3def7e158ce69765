/**
 * `fitness`: scores of parameter perturbations as the weights of their sum. One number per seed, not per
 * token or trajectory.
 *
 * Source: Salimans et al. 2017, "Evolution Strategies", arXiv:1703.03864 (centered ranks); Qiu et al. 2025,
 * "Evolution Strategies at Scale", arXiv:2509.24372 (z-scores).
 */
import { deviationOf, meanOf, requireGroup } from "../statistics.ts";

/** `[N]` (score − mean)/population deviation; all 0 for equal scores. */
export function standardizedFitness(scores: readonly number[]): number[] {
  requireGroup(scores);
  const mean = meanOf(scores);
  const deviation = deviationOf(scores, "population");
  return scores.map((score) => (deviation === 0 ? 0 : (score - mean) / deviation));
}

/** `[N]` ranks mapped to [−0.5, 0.5]; equal scores share their mean rank; all 0 for equal scores. */
export function rankedFitness(scores: readonly number[]): number[] {
  requireGroup(scores);
  return scores.map((score) => {
    const below = scores.filter((other) => other < score).length;
    const equal = scores.filter((other) => other === score).length;
    return (below + (equal - 1) / 2) / (scores.length - 1) - 0.5;
  });
}
