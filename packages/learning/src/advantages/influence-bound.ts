/**
 * A bound on one contributor's share of a minibatch: the largest weights are lowered until no contributor has
 * more than a given share. It works on weights only; the caller identifies contributors and defines their
 * weight. It stops a flood from one contributor, not one that uses many names.
 *
 * The bound is our own; that few poisoned preferences suffice is from Baumgärtner et al. 2024,
 * "Best-of-Venom", arXiv:2404.05530.
 */
import { WaggleError } from "@waggle/protocol";

/** With few contributors, each may have this multiple of an equal share. */
const TIMES_EQUAL = 2;

/**
 * `[N]` factor in [0, 1] for each contributor's weight, so that no one exceeds `share` of the total. If there
 * are so few non-zero weights that `share` is less than twice an equal share, the bound is twice an equal
 * share. One or two contributors therefore have no bound; but if there were other participants with weight 0,
 * their factor is 0, because they must not decide for the others.
 *
 * @param weights - `[N]`, ≥ 0; 0 for a participant without any contribution.
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

/**
 * The bound c > 0 with c = most · Σ min(weight, c). With k weights above it, c = most · rest / (1 − most ·
 * k).
 */
function boundOf(falling: readonly number[], most: number): number {
  let rest = falling.reduce((sum, weight) => sum + weight, 0);
  for (const [k, weight] of falling.entries()) {
    const bound = (most * rest) / (1 - most * k);
    if (weight <= bound) return bound;
    rest -= weight;
  }
  return 0;
}
