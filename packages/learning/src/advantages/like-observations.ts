/**
 * `cluster`: step-level groups of similar observations, for states that are rarely exactly equal. Differs
 * from GiGPO in that a similarity decides; the caller sets its threshold.
 *
 * Source: SLEA-RL (step-level experience augmented RL), section on step-level advantages.
 * Differs from it: clusters are built greedily in order, each around its first member, so the result does not
 * depend on a clustering library.
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import { sequenceSimilarity } from "../rewards/similarity.ts";
import {
  type DeviationConvention,
  deviationOf,
  indicesByKey,
  meanOf,
  requireFiniteRewards,
  requireSameLength,
} from "../statistics.ts";
import { advantagePart, byTurns, type GroupPart, turnRewards } from "./credit.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import { discountedReturns } from "./turn-returns.ts";

/**
 * The cluster index of each item: the first earlier cluster whose first member has a likeness of at least
 * `threshold`, else a new one.
 *
 * @param likeness - symmetric, 1 for equals.
 */
export function clustersOf<T>(
  items: readonly T[],
  likeness: (a: T, b: T) => number,
  threshold: number,
): number[] {
  const leaders: T[] = [];
  return items.map((item) => {
    const found = leaders.findIndex((leader) => likeness(leader, item) >= threshold);
    if (found >= 0) return found;
    leaders.push(item);
    return leaders.length - 1;
  });
}

/** How advantages of a cluster are scaled. */
export type ClusterAdvantageOptions = {
  readonly scale?: "none" | "std";
  /** Default `population`. */
  readonly convention?: DeviationConvention;
  /** Default 1e-6. */
  readonly epsilon?: number;
};

/**
 * `[steps]` return minus the mean of its cluster. A step alone in its cluster has no baseline and gets its
 * fallback.
 *
 * @param returns - `[steps]` of one task group, all trajectories together.
 * @param clusters - `[steps]` from `clustersOf`.
 * @param fallback - `[steps]` for lone steps: the trajectory's own advantage. Default 0.
 */
export function clusterAdvantages(
  returns: readonly number[],
  clusters: readonly number[],
  fallback?: readonly number[],
  options: ClusterAdvantageOptions = {},
): number[] {
  const { scale = "none", convention = "population", epsilon = 1e-6 } = options;
  requireSameLength("clusters", clusters.length, "returns", returns.length);
  if (fallback !== undefined && fallback.length !== returns.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `fallback has ${fallback.length} entries for ${returns.length} steps; copy the trajectory's advantage to each step`,
    );
  }
  requireFiniteRewards(returns);
  const advantages = returns.map((_, i) => fallback?.[i] ?? 0);
  for (const indices of indicesByKey(clusters).values()) {
    if (indices.length < 2) continue;
    const members = indices.map((i) => returns[i] as number);
    const mean = meanOf(members);
    const divisor = scale === "none" ? 1 : deviationOf(members, convention) + epsilon;
    for (const i of indices) advantages[i] = (returns[i]! - mean) / divisor;
  }
  return advantages;
}

/** `cluster`: compares turns with those of similar observations in the same group. */
export function likeObservations(threshold?: number): GroupPart {
  return definePart(
    { likeObservationsThreshold: option(threshold, 0.8) },
    ({ likeObservationsThreshold: threshold }) =>
      advantagePart("cluster", "group", (groups) =>
        byTurns(groups, (trajectories) => {
          const ofGroup = groupRelativeAdvantages(trajectories.map(({ reward }) => reward.total));
          const returns = trajectories.map((rewarded) =>
            discountedReturns(turnRewards(rewarded), 1),
          );
          const states = trajectories.flatMap(({ trajectory }) =>
            trajectory.turns.map(({ state }) => state.split(" ")),
          );
          const flat = clusterAdvantages(
            returns.flat(),
            clustersOf(states, sequenceSimilarity, threshold),
            trajectories.flatMap(({ trajectory }, i) =>
              trajectory.turns.map(() => ofGroup[i] as number),
            ),
            { scale: "std" },
          );
          let next = 0;
          return returns.map((row) => row.map(() => flat[next++] as number));
        }),
      ),
  );
}
