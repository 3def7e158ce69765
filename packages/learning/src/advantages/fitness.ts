/**
 * `fitness`: rewards of parameter perturbations as the weights of their sum. One number per seed, not per
 * token or trajectory.
 *
 * Source: Salimans et al. 2017, "Evolution Strategies", arXiv:1703.03864 (centered ranks); Qiu et al. 2025,
 * "Evolution Strategies at Scale", arXiv:2509.24372 (z-scores).
 */
import { deviationOf, meanOf, requireGroup } from "../statistics.ts";

/** `[N]` (reward − mean)/population deviation; all 0 for equal rewards. */
export function standardizedFitness(rewards: readonly number[]): number[] {
  requireGroup(rewards);
  const mean = meanOf(rewards);
  const deviation = deviationOf(rewards, "population");
  return rewards.map((reward) => (deviation === 0 ? 0 : (reward - mean) / deviation));
}

/** `[N]` ranks mapped to [−0.5, 0.5]; equal rewards share their mean rank; all 0 for equal rewards. */
export function rankedFitness(rewards: readonly number[]): number[] {
  requireGroup(rewards);
  return rewards.map((reward) => {
    const below = rewards.filter((other) => other < reward).length;
    const equal = rewards.filter((other) => other === reward).length;
    return (below + (equal - 1) / 2) / (rewards.length - 1) - 0.5;
  });
}
