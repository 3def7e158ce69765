/**
 * A 95 % interval of one arm's mean, for people to read. No decision of a release uses it: it does not hold at all times
 * together, and it says nothing about the difference of the arms.
 *
 * Source: the variance counts visitors as clusters, as in the ratio estimator of Cochran 1977, "Sampling techniques",
 * section 6.3. The interval is Wilson's with the number of independent values that has this variance, as in Korn & Graubard
 * 1998, "Confidence intervals for proportions with small expected number of positive counts", Survey Methodology 24(2).
 * Differs from it: Wilson's interval in place of Clopper and Pearson's; never more independent values than values, and as many
 * as visitors if all values are 0 or all are 1.
 */
import type { Interval } from "../interval.ts";
import { wilsonInterval } from "../success-rate.ts";
import { type ArmSums, requireArmSums } from "./arm-sums.ts";

/**
 * @param arms - one arm in each stage. A visitor is in one stage only, so stages are added up.
 * @returns `null` with fewer than two visitors.
 * @throws WaggleError `INVALID_ARGUMENT` for sums that contradict each other.
 */
export function armInterval(arms: readonly ArmSums[]): Interval | null {
  const sum = (of: keyof ArmSums): number => arms.reduce((all, arm) => all + arm[of], 0);
  for (const arm of arms) requireArmSums(arm, "an arm");
  const [visitors, values] = [sum("visitors"), sum("values")];
  if (visitors < 2) return null;
  const mean = Math.min(1, sum("total") / values);
  const squares =
    sum("squaredTotals") - 2 * mean * sum("products") + mean ** 2 * sum("squaredValues");
  const variance = ((visitors / (visitors - 1)) * Math.max(0, squares)) / values ** 2;
  const spread = mean * (1 - mean);
  if (spread === 0) return wilsonInterval(mean, visitors);
  return wilsonInterval(mean, variance === 0 ? values : Math.min(values, spread / variance));
}
