/** Tests whether draws follow a known token distribution. */

/** How often a token was drawn, and its recorded probability. */
export type Observed = { readonly count: number; readonly probability: number };

/** Statistic and degrees of freedom, which add up over several tests. */
export type ChiSquare = { readonly statistic: number; readonly degrees: number };

/**
 * Pearson's statistic of `draws` draws. Pools tokens with fewer than five expected draws, together
 * with all tokens that were never drawn.
 */
export function chiSquare(observed: readonly Observed[], draws: number): ChiSquare {
  const common = observed.filter(({ probability }) => probability * draws >= 5);
  const rest = {
    count: draws - common.reduce((sum, { count }) => sum + count, 0),
    probability: 1 - common.reduce((sum, { probability }) => sum + probability, 0),
  };
  const cells = rest.probability * draws >= 5 ? [...common, rest] : common;
  const statistic = cells.reduce(
    (sum, { count, probability }) =>
      sum + (count - probability * draws) ** 2 / (probability * draws),
    0,
  );
  return { statistic, degrees: Math.max(0, cells.length - 1) };
}

/**
 * The probability of draws at least this far off if the distribution is right.
 * Source: Wilson and Hilferty 1931, the cube root of a χ² variable is nearly normal.
 */
export function pValue({ statistic, degrees }: ChiSquare): number {
  if (degrees < 1) return 1;
  const variance = 2 / (9 * degrees);
  const z = ((statistic / degrees) ** (1 / 3) - (1 - variance)) / Math.sqrt(variance);
  return 0.5 * complementaryError(z / Math.SQRT2);
}

/** Source: Abramowitz and Stegun 1964, 7.1.26; error below 1.5e-7. */
function complementaryError(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series =
    t *
    (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const tail = series * Math.exp(-x * x);
  return x >= 0 ? tail : 2 - tail;
}
