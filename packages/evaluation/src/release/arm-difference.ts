/**
 * The difference of two arms' means with its precision, from sums over visitors. Not a test: a boundary
 * says how large the difference must be.
 *
 * A stage is a time in which the share of the candidate did not change. Arms are compared within stages
 * and the differences are averaged. Otherwise a change of the success rate over time would look like a
 * difference between the arms, because more of the candidate's requests come late.
 *
 * Source: the weights are those of Mantel & Haenszel 1959, JNCI 22(4). The variance counts visitors as
 * clusters, as in the ratio estimator of Cochran 1977, "Sampling techniques", section 6.3. That stages need
 * this is Simpson's paradox of Crook et al. 2009, "Seven pitfalls to avoid when running controlled
 * experiments on the web", KDD, pitfall 5.
 * Differs from them: both arms get the larger of their variances, so that a small arm whose few values
 * happen to be alike does not look precise.
 */
import { type ArmSums, requireArmSums } from "./arm-sums.ts";

/** Both arms of one metric in one stage. */
export type StageSums = { readonly candidate: ArmSums; readonly stable: ArmSums };

/** How much better the candidate is. */
export type ArmDifference = {
  /** Mean of the candidate minus mean of the stable version, in [-1, 1]. */
  readonly difference: number;
  /** Σ n m / (n + m) over stages with n and m values. Both sides of a stage with many more stable values count n. */
  readonly size: number;
  /** Standard error of the difference: √(variance of one value / size). */
  readonly error: number;
  /** Visitors of the smaller arm. */
  readonly visitors: number;
};

/**
 * @param stages - of one metric, in any order.
 * @returns `null` while an arm has fewer than two visitors or no stage has values of both.
 * @throws WaggleError `INVALID_ARGUMENT` for sums that contradict each other.
 */
export function armDifference(stages: readonly StageSums[]): ArmDifference | null {
  let [size, weighted] = [0, 0];
  for (const { candidate, stable } of stages) {
    requireArmSums(candidate, "the candidate");
    requireArmSums(stable, "the stable version");
    if (candidate.values === 0 || stable.values === 0) continue;
    const weight = (candidate.values * stable.values) / (candidate.values + stable.values);
    size += weight;
    weighted += weight * (candidate.total / candidate.values - stable.total / stable.values);
  }
  const candidate = spreadOf(stages.map((stage) => stage.candidate));
  const stable = spreadOf(stages.map((stage) => stage.stable));
  const visitors = Math.min(candidate.visitors, stable.visitors);
  if (size === 0 || visitors < 2) return null;
  const variance = Math.max(candidate.variance, stable.variance);
  return { difference: weighted / size, size, error: Math.sqrt(variance / size), visitors };
}

/** Variance of the visitors' sums around the mean of their stage, per value. */
function spreadOf(arms: readonly ArmSums[]): { visitors: number; variance: number } {
  let [visitors, values, squares] = [0, 0, 0];
  for (const arm of arms) {
    if (arm.values === 0) continue;
    const mean = arm.total / arm.values;
    visitors += arm.visitors;
    values += arm.values;
    squares += arm.squaredTotals - 2 * mean * arm.products + mean ** 2 * arm.squaredValues;
  }
  const correction = visitors / Math.max(1, visitors - 1);
  return { visitors, variance: (correction * Math.max(0, squares)) / Math.max(1, values) };
}
