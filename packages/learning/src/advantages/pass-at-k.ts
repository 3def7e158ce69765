/**
 * Advantages for the best of k instead of the mean. `best-only` credits the best rollout with its lead over
 * the second; `leave-one-out` credits each rollout with what it adds to the expected best of k, over all
 * subsets of size k.
 *
 * Source: verl's `grpo_passk` after Walder and Karkhanis 2025, "Pass@K Policy Optimization", arXiv:2505.15201
 * (leave-one-out form: reward of subsets with i minus the same subsets without it).
 * Differs from it: subsets are enumerated in closed form over sorted rewards, any real reward.
 */
import { option, definePart } from "../composition/part-options.ts";
import { argMax, requireGroup, requireInside } from "../statistics.ts";
import { advantagePart, byRewards, type GroupPart } from "./credit.ts";

/**
 * Best-only advantages of one group.
 *
 * @returns `[G]`: reward − second best for the best rollout (the first of equals), 0 for the others.
 * @throws WaggleError `GROUP_TOO_SMALL`, `NON_FINITE_REWARD`.
 */
export function bestOnlyAdvantages(rewards: readonly number[]): number[] {
  requireGroup(rewards);
  const best = argMax(rewards);
  const second = Math.max(...rewards.filter((_, i) => i !== best));
  return rewards.map((reward, i) => (i === best ? reward - second : 0));
}

/**
 * `[G]` mean over subsets S of size k that contain i of max(S) − max(S without i). For k = 1 the subset
 * without i is empty and the baseline is the mean of the others.
 *
 * @param k - size of the subsets, 1 ≤ k < G.
 */
export function passAtKAdvantages(rewards: readonly number[], k: number): number[] {
  requireGroup(rewards);
  const G = rewards.length;
  requireInside("k", k, 1, G - 1);
  if (k === 1) {
    const sum = rewards.reduce((a, b) => a + b, 0);
    return rewards.map((reward) => reward - (sum - reward) / (G - 1));
  }
  const order = rewards.map((_, i) => i).sort((a, b) => rewards[a]! - rewards[b]!);
  const advantages = rewards.map(() => 0);
  const subsets = choose(G - 1, k - 1);
  for (const [rank, i] of order.entries()) {
    // Rollout i is the best of a subset only if the other k − 1 rank below; then the best of those
    // at rank j leaves k − 2 places for the j rollouts below it.
    for (let j = k - 2; j < rank; j += 1) {
      const lead = rewards[i]! - rewards[order[j]!]!;
      advantages[i] = advantages[i]! + (lead * choose(j, k - 2)) / subsets;
    }
  }
  return advantages;
}

function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let result = 1;
  for (let i = 1; i <= k; i += 1) result = (result * (n - k + i)) / i;
  return result;
}

/** `pass-at-k`: the increase of the expected best of k by a trajectory. */
export function passAtK(k?: number): GroupPart {
  return definePart({ passAtKK: option(k, 2) }, ({ passAtKK: k }) =>
    advantagePart("pass-at-k", "group", (groups) =>
      byRewards(groups, (rewards) => passAtKAdvantages(rewards, k)),
    ),
  );
}

/** `pass-at-k` over the whole group: only the best trajectory gets an advantage, its lead over the second. */
export function bestOnly(): GroupPart {
  return advantagePart("pass-at-k", "group", (groups) => byRewards(groups, bestOnlyAdvantages));
}
