/**
 * Whether a token is the one that its seed selects. A sampler draws a number in [0, 1) and takes the token whose
 * interval contains it. A trainer that knows the seed and recomputes the intervals can check each token.
 *
 * Two devices compute slightly different logits, so a number close to the edge of an interval may select the
 * neighbor. Changing every logit by at most ε moves the log-odds of an edge by at most 2ε / temperature. The gap is
 * the smallest such ε that explains the token, so a band on it has the unit of a band on logits.
 *
 * Source: Token-DiFR, Karvonen et al. 2025, "DiFR: Inference Verification Despite Nondeterminism", arXiv:2511.20621, which
 * compares tokens with those of a reference under the same seed. The exact gap of an inverse-CDF sampler is our own.
 */
import type { DrawInterval } from "@waggle/protocol";

/** Probability by which an edge may be off because a GPU adds up probabilities in float32. */
const ROUNDING = 1e-5;

/**
 * The smallest change of all logits, in nats, with which `uniform` selects the token of `interval`. 0 if it selects it
 * now. Infinity for an empty interval, because then the token cannot be drawn.
 *
 * @param uniform - in [0, 1).
 * @param temperature - of the distribution that the interval belongs to.
 */
export function drawGap(uniform: number, [low, high]: DrawInterval, temperature: number): number {
  if (!(high > low)) return Infinity;
  if (uniform >= low - ROUNDING && uniform < high + ROUNDING) return 0;
  const edge = uniform < low ? low : high;
  return (temperature * Math.abs(logOdds(uniform) - logOdds(edge))) / 2;
}

function logOdds(probability: number): number {
  return Math.log(probability) - Math.log1p(-probability);
}
