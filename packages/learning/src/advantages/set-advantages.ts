/**
 * `set`: a set of rollouts has one reward, success times diversity, which its members share.
 * Copies of one lucky success earn less than several different successes.
 *
 * Source: Hamid et al. 2025, "Polychromic Objectives for Reinforcement Learning", arXiv:2509.25424.
 * Differs from it: all sets of size n of a group are enumerated if they are few, else drawn; diversity is 0
 * for copies and 1 if all differ.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RewardedTrajectory } from "../composition/part.ts";
import { meanOf, requireGroup, requireInside, requireSameLength } from "../statistics.ts";
import { advantagePart, byRewards, type GroupPart } from "./credit.ts";

/** Options of `setAdvantages`. */
export type SetAdvantageOptions = {
  /** Rollouts per set, 2 ≤ n ≤ G. */
  readonly size: number;
  /** Maximal number of sets; if there are more, this many are drawn. Default 256. */
  readonly mostSets?: number;
  /** Yields [0, 1); only used to draw sets. */
  readonly random: () => number;
};

/** Mean reward times the share of distinct kinds: 0 for copies, 1 if all differ and succeed. */
export function polychromicReward(rewards: readonly number[], kinds: readonly string[]): number {
  requireSameLength("kinds", kinds.length, "rewards", rewards.length);
  return (meanOf(rewards) * (new Set(kinds).size - 1)) / Math.max(1, kinds.length - 1);
}

/**
 * `[G]` mean reward of the sets that contain a rollout, minus the mean reward of all sets.
 *
 * @param rewards - `[G]` of one task.
 * @param kinds - `[G]` key of rollouts that count as copies: the sequence of tools, or the answer.
 */
export function setAdvantages(
  rewards: readonly number[],
  kinds: readonly string[],
  options: SetAdvantageOptions,
): number[] {
  requireGroup(rewards);
  requireSameLength("kinds", kinds.length, "rewards", rewards.length);
  requireInside("size", options.size, 2, rewards.length);
  const sets = setsOf(rewards.length, options);
  const rewardsOfSets = sets.map((set) =>
    polychromicReward(
      set.map((i) => rewards[i]!),
      set.map((i) => kinds[i]!),
    ),
  );
  const mean = meanOf(rewardsOfSets);
  return rewards.map((_, i) => {
    const own = rewardsOfSets.filter((_, s) => sets[s]!.includes(i));
    return own.length === 0 ? 0 : meanOf(own) - mean;
  });
}

function setsOf(G: number, { size, mostSets = 256, random }: SetAdvantageOptions): number[][] {
  const all: number[][] = [];
  const extend = (set: number[], from: number): void => {
    if (all.length > mostSets) return;
    if (set.length === size) {
      all.push(set);
      return;
    }
    for (let i = from; i < G; i += 1) extend([...set, i], i + 1);
  };
  extend([], 0);
  if (all.length <= mostSets) return all;
  return Array.from({ length: mostSets }, () => {
    const left = Array.from({ length: G }, (_, i) => i);
    return Array.from({ length: size }, () =>
      left.splice(Math.floor(random() * left.length), 1).at(0),
    ).filter((i) => i !== undefined);
  });
}

/** The key of a trajectory's kind: its calls in order. */
function kindOf({ trajectory }: RewardedTrajectory): string {
  return trajectory.turns
    .flatMap(({ toolCalls }) =>
      toolCalls.map((call) => JSON.stringify([call.name, call.arguments])),
    )
    .join(" ");
}

/** `set`: rewards sets of trajectories by success times diversity; members share the reward. */
export function setAdvantage(size?: number): GroupPart {
  return definePart({ setAdvantageSize: option(size, 4) }, ({ setAdvantageSize: size }) =>
    advantagePart("set", "group", (groups, { random }) =>
      byRewards(groups, (rewards, trajectories) =>
        setAdvantages(rewards, trajectories.map(kindOf), { size, random }),
      ),
    ),
  );
}
