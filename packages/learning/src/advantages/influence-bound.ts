/**
 * A bound on what one contributor decides of a minibatch: the weight of whoever has most is lowered until
 * nobody has more than a share. Weights only: who contributed, and what counts as weight, is the caller's.
 * It holds a flood by one; who comes under many names is many.
 *
 * The bound is our own; that few poisoned preferences suffice is from Baumgärtner et al. 2024,
 * "Best-of-Venom", arXiv:2404.05530.
 */
import { WaggleError } from "@waggle/protocol";

/** Where contributors are few, each may have so many times an equal share. */
const TIMES_EQUAL = 2;

/**
 * `[N]` what to multiply each contributor's weight by, in [0, 1], so that none has more than `share` of the
 * sum of all. Where those with a weight are so few that this is less than twice an equal share, it is that.
 * So one or two have no bound; where more took part, they do not speak for the others and count nothing.
 *
 * @param weights - `[N]`, ≥ 0; who took part and has nothing to say has 0.
 * @param share - in (0, 1]; 1 = no bound.
 * @throws WaggleError `INVALID_ARGUMENT` for another share.
 */
export function influenceScales(weights: readonly number[], share: number): number[] {
  if (!(share > 0 && share <= 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a share of influence must be in (0, 1], got ${share}; pass 1 for no bound`,
    );
  }
  const falling = weights.filter((weight) => weight > 0).toSorted((a, b) => b - a);
  const most = Math.max(share, TIMES_EQUAL / falling.length);
  const isFew = falling.length <= TIMES_EQUAL && weights.length > TIMES_EQUAL && share < 1;
  if (most >= 1) return weights.map((weight) => (isFew && weight > 0 ? 0 : 1));
  const bound = boundOf(falling, most);
  return weights.map((weight) => (weight > bound ? bound / weight : 1));
}

/** The one bound c > 0 with c = most · Σ min(weight, c): with k above it, c = most · rest / (1 − most · k). */
function boundOf(falling: readonly number[], most: number): number {
  let rest = falling.reduce((sum, weight) => sum + weight, 0);
  for (const [k, weight] of falling.entries()) {
    const bound = (most * rest) / (1 - most * k);
    if (weight <= bound) return bound;
    rest -= weight;
  }
  return 0;
}
