/**
 * A bound on one contributor's share of a minibatch: the largest weights are lowered until no contributor has
 * more than a given share. A contributor's weight is their influence on the loss; the caller identifies
 * contributors. It stops a flood from one contributor, not one that uses many names.
 *
 * The bound is our own; that few poisoned preferences suffice is from Baumgärtner et al. 2024,
 * "Best-of-Venom", arXiv:2404.05530.
 */
import { WaggleError } from "@waggle/protocol";
import type { PlannedMinibatch } from "../composition/minibatch.ts";
import type { AdvantageRows } from "../composition/part.ts";

/** The contributor of each trajectory, by id; `undefined` for a trajectory of no one in particular. */
type Contributors = ReadonlyMap<string, string | undefined>;

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

/**
 * Influence of each contributor in a minibatch: the sum over the tokens of their trajectories of the
 * token's share of the loss times the absolute advantage. Trajectories without a contributor are left out.
 */
export function contributorInfluence(
  { rows, shares, advantages }: Pick<PlannedMinibatch, "rows" | "shares" | "advantages">,
  contributors: Contributors,
): Map<string, number> {
  const influence = new Map<string, number>();
  for (const [b, { rewarded }] of rows.entries()) {
    const contributor = contributors.get(rewarded.trajectory.id);
    if (contributor === undefined) continue;
    let weight = influence.get(contributor) ?? 0;
    for (const [t, share] of Array.from(shares[b] ?? []).entries()) {
      weight += share * Math.abs(advantages[b]?.[t] ?? 0);
    }
    influence.set(contributor, weight);
  }
  return influence;
}

/**
 * Advantages with those of each contributor's trajectories scaled down, so that no one's influence exceeds
 * `share` of the minibatch. All trajectories of a contributor are scaled by the same factor.
 *
 * @param planned - the minibatch with these advantages.
 * @param present - contributors whose trajectories had no signal; they count with influence 0.
 */
export function boundedAdvantages(
  advantages: AdvantageRows,
  planned: PlannedMinibatch,
  contributors: Contributors,
  share: number,
  present: Iterable<string> = [],
): AdvantageRows {
  const influence = contributorInfluence(planned, contributors);
  for (const contributor of present) {
    if (!influence.has(contributor)) influence.set(contributor, 0);
  }
  const scales = influenceScales([...influence.values()], share);
  const scaleOf = new Map([...influence.keys()].map((name, i) => [name, scales[i] ?? 1]));
  return new Map(
    [...advantages].map(([id, rows]) => {
      const scale = scaleOf.get(contributors.get(id) ?? "") ?? 1;
      return [id, rows.map((row) => Float64Array.from(row, (value) => scale * value))];
    }),
  );
}
