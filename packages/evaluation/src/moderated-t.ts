/**
 * Many comparisons of a few seeds each, such as a table of recipes: is the mean of a comparison's
 * differences above 0? Five differences say little about their own spread, so the spreads of all comparisons
 * are put together: each is pulled towards the common one, the more so the more alike they are. Where
 * they have nothing in common this is Student's test.
 *
 * The unit is the seed, of which the learner, its tasks, its draws and the held-out tasks are drawn anew:
 * what is claimed holds for other seeds, not for these alone. A permutation of tasks within seeds would
 * claim less than it seems, and one of seeds alone cannot go below 1/32 with five of them.
 *
 * Source: Smyth 2004, "Linear models and empirical Bayes methods for assessing differential expression in
 * microarray experiments", Statistical Applications in Genetics and Molecular Biology 3(1), section 6.2.
 */
import { WaggleError } from "@waggle/protocol";
import { digamma, trigamma } from "./gamma.ts";
import { spreadOf, testOf, type MeanTest } from "./student-t.ts";
import { mean, median } from "./summary.ts";

/** Smallest spread that a comparison may have, as a share of the median: outcomes are counts and can tie. */
const SMALLEST = 1e-2;

/**
 * @param comparisons - `[comparisons][n]`, n ≥ 2 alike for all; with one comparison it is Student's test.
 * @returns one-sided tests, in the order given.
 * @throws WaggleError `SHAPE_MISMATCH` where n differs, `INVALID_ARGUMENT` below 2.
 */
export function moderatedTests(comparisons: readonly (readonly number[])[]): MeanTest[] {
  const n = comparisons[0]?.length ?? 0;
  if (comparisons.some(({ length }) => length !== n)) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `comparisons must have one number of seeds, got ${[...new Set(comparisons.map(({ length }) => length))].join(", ")}; leave out those that are not complete`,
    );
  }
  const spreads = comparisons.map(spreadOf);
  const own = n - 1;
  const prior = priorOf(
    spreads.map(({ variance }) => variance),
    own,
  );
  return spreads.map(({ center, variance }) => {
    const degrees = own + prior.degrees;
    const pooled =
      prior.degrees === Infinity
        ? prior.variance
        : (prior.degrees * prior.variance + own * variance) / degrees;
    return testOf(center, Math.sqrt(pooled / n), degrees);
  });
}

/** What the variances, each with `own` degrees of freedom, have in common: by moments of their logarithms. */
function priorOf(
  variances: readonly number[],
  own: number,
): { readonly variance: number; readonly degrees: number } {
  if (variances.length < 3) return { variance: 0, degrees: 0 };
  const smallest = Math.max(SMALLEST * median(variances), Number.MIN_VALUE);
  const logs = variances.map(
    (variance) => Math.log(Math.max(variance, smallest)) - digamma(own / 2) + Math.log(own / 2),
  );
  const { center, variance: ofLogs } = spreadOf(logs);
  const beyondChance = ofLogs - trigamma(own / 2);
  if (beyondChance <= 0) return { variance: mean(variances), degrees: Infinity };
  const degrees = 2 * inverseTrigamma(beyondChance);
  return { variance: Math.exp(center + digamma(degrees / 2) - Math.log(degrees / 2)), degrees };
}

/** By halving: trigamma falls from infinity to 0. */
function inverseTrigamma(value: number): number {
  let [low, high] = [1e-4, 1e6];
  for (let step = 0; step < 100; step += 1) {
    const middle = Math.sqrt(low * high);
    if (trigamma(middle) > value) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}
