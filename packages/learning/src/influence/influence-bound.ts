/**
 * Bounds on the share of a step that one name causes: a visitor, a network or a site key. The caller
 * measures the mass of each trajectory and says whose it is. Masses above a bound are scaled down, and
 * nothing is dropped. A bound on visitors stops a flood from one of them; one on networks also stops
 * a flood under many names from one network.
 *
 * The bounds are our own; that few poisoned preferences suffice is from Baumgärtner et al. 2024,
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

/** A bound on the names of one kind. */
export type InfluenceBound = {
  /** The name of each trajectory, by id; a trajectory without a name is not scaled. */
  readonly names: ReadonlyMap<string, string>;
  /** Largest share of a name, in (0, 1]; 1 = no bound. */
  readonly share: number;
  /** The bound acts if at least so many names take part; default 1. */
  readonly least?: number;
  /** Names without a mass in this step that took part; see `influenceScales`. */
  readonly present?: Iterable<string>;
  /** Masses of names in the steps before this one; see `windowScales`. */
  readonly earlier?: ReadonlyMap<string, number>;
};

/**
 * Factor in [0, 1] for each trajectory's mass. The bounds act one after another. A later one lowers the
 * total, so afterwards a name of an earlier bound can have more than its share of what is left.
 *
 * @param masses - by trajectory id, ≥ 0.
 * @throws WaggleError `INVALID_ARGUMENT` for a share outside (0, 1].
 */
export function influenceFactors(
  masses: ReadonlyMap<string, number>,
  bounds: readonly InfluenceBound[],
): Map<string, number> {
  const factors = new Map<string, number>([...masses.keys()].map((id) => [id, 1]));
  for (const { names, share, least = 1, present = [], earlier } of bounds) {
    const scale = (scales: ReadonlyMap<string, number>): void => {
      for (const [id, factor] of factors) {
        factors.set(id, factor * (scales.get(names.get(id) ?? "") ?? 1));
      }
    };
    const held = (): Map<string, number> => massByName(scaledMasses(masses, factors), names);
    const now = held();
    for (const name of present) if (!now.has(name)) now.set(name, 0);
    const scales = influenceScales([...now.values()], share);
    if (now.size >= least) scale(new Map([...now.keys()].map((name, i) => [name, scales[i] ?? 1])));
    if (earlier !== undefined) scale(windowScales(held(), earlier, share));
  }
  return factors;
}

/** Masses times their factors, by trajectory id. */
export function scaledMasses(
  masses: ReadonlyMap<string, number>,
  factors: ReadonlyMap<string, number>,
): Map<string, number> {
  return new Map([...masses].map(([id, mass]) => [id, mass * (factors.get(id) ?? 1)]));
}

/** Sum of the masses of each name. */
export function massByName(
  masses: ReadonlyMap<string, number>,
  names: ReadonlyMap<string, string>,
): Map<string, number> {
  const held = new Map<string, number>();
  for (const [id, mass] of masses) {
    const name = names.get(id);
    if (name !== undefined) held.set(name, (held.get(name) ?? 0) + mass);
  }
  return held;
}

/**
 * Scales for this step's masses, so that no name exceeds `share` of this step and the earlier ones together.
 * A name that already has more gets 0. It acts once `share` is at least twice an equal share, so that a
 * site with few names is never bound by its past.
 */
function windowScales(
  now: ReadonlyMap<string, number>,
  earlier: ReadonlyMap<string, number>,
  share: number,
): ReadonlyMap<string, number> {
  if (earlier.size === 0 || share === 1) return new Map();
  const all = new Map(earlier);
  for (const [name, mass] of now) all.set(name, (all.get(name) ?? 0) + mass);
  const falling = [...all.values()].filter((mass) => mass > 0).toSorted((a, b) => b - a);
  if (falling.length * share < TIMES_EQUAL) return new Map();
  const bound = boundOf(falling, share);
  return new Map(
    [...now].map(([name, mass]) => {
      const left = Math.max(0, bound - (earlier.get(name) ?? 0));
      return [name, mass > left ? left / mass : 1];
    }),
  );
}
