/**
 * `batch`: a second normalisation over the batch, after that of the group, so that the size of an
 * update does not depend on how many groups had a signal.
 *
 * Source: SenseNova-MARS (BN-GSPO), arXiv:2512.24330: group normalisation, then batch normalisation.
 */
import {
  deviationOf,
  type DeviationConvention,
  meanOf,
  requireFiniteRewards,
} from "../statistics.ts";

/**
 * `[N]` advantages of the batch with mean 0 and deviation 1; all 0 where all are equal.
 *
 * @param epsilon - added to the deviation. Default 1e-8.
 */
export function batchNormalizedAdvantages(
  advantages: readonly number[],
  convention: DeviationConvention = "population",
  epsilon: number = 1e-8,
): number[] {
  requireFiniteRewards(advantages);
  const mean = meanOf(advantages);
  const deviation = deviationOf(advantages, convention) + epsilon;
  return advantages.map((advantage) => (advantage - mean) / deviation);
}
