/**
 * Tests many comparisons with few seeds each, such as a table of recipes: is the mean of a comparison's
 * differences above 0? The spread of five differences is too uncertain on its own, so each spread is shrunk
 * towards the spread that all comparisons share. The more similar the spreads are, the stronger the shrinkage;
 * with nothing in common this is Student's test.
 *
 * The unit is the seed, which determines the learner, its tasks, its draws and the held-out tasks, so results
 * generalize to other seeds. A permutation of tasks within seeds would not, and a permutation of five seeds
 * cannot reach p below 1/32.
 *
 * Source: Smyth 2004, "Linear models and empirical Bayes methods for assessing differential expression in
 * microarray experiments", Statistical Applications in Genetics and Molecular Biology 3(1), section 6.2.
 */
import { WaggleError } from "@waggle/protocol";
import { digamma, trigamma } from "./gamma.ts";
import { spreadOf, testOf, type MeanTest } from "./student-t.ts";
import { mean, median } from "./summary.ts";

/** Lower bound of a variance as a share of the median variance, because outcomes are counts and can tie. */
const SMALLEST = 1e-2;

/**
 * One test for each comparison.
 *
 * @param comparisons - `[comparisons][n]` differences, n ≥ 2 and the same for all.
 * @returns one-sided tests in the given order. With a single comparison it is Student's test.
 * @throws WaggleError `SHAPE_MISMATCH` if n differs, `INVALID_ARGUMENT` if n is below 2.
 */
export function moderatedTests(comparisons: readonly (readonly number[])[]): MeanTest[] {
  const n = comparisons[0]?.length ?? 0;
  if (comparisons.some(({ length }) => length !== n)) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `the comparisons have different numbers of seeds (${[...new Set(comparisons.map(({ length }) => length))].join(", ")}); leave out incomplete ones`,
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

/** The common variance and its degrees of freedom, by moments of the logarithms. Each variance has `own` degrees. */
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

/** Inverts trigamma, which falls from infinity to 0, by bisection. */
function inverseTrigamma(value: number): number {
  let [low, high] = [1e-4, 1e6];
  for (let step = 0; step < 100; step += 1) {
    const middle = Math.sqrt(low * high);
    if (trigamma(middle) > value) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}
