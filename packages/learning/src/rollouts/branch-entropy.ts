/**
 * `branch-entropy`: the probability of forking a rollout after a tool result, which grows as the policy
 * becomes less certain than at its start. The number of leaves is limited by the rollout plan.
 *
 * Source: Dong et al. 2025, ARPO, arXiv:2507.19849 (branch where α + β·ΔH passes a threshold); AEPO,
 * arXiv:2510.14545 (a penalty on branching in a row).
 * Differs from them: the rule is one value, α + β·ΔH is a probability and is drawn, and the penalty
 * falls linearly to 0 over `mostInARow` branches.
 */
import { option, fixed, definePart } from "../composition/part-options.ts";
import type { RolloutPart } from "../composition/part.ts";
import { group, planned } from "./plain-rollouts.ts";

export type BranchRule = {
  /** Probability at ΔH = 0. */
  readonly base: number;
  /** Increase per unit of ΔH. */
  readonly slope: number;
  /** Logarithm of the vocabulary size. ΔH is divided by it, which makes models comparable. */
  readonly mostEntropy: number;
  /** Number of consecutive branches at which the probability reaches 0. */
  readonly mostInARow: number;
};

/**
 * Probability of a fork at this turn, in [0, 1].
 *
 * @param entropy - entropy of this turn's first tokens in nats; `startEntropy` is that of the first turn.
 * @param inARow - number of turns directly before this one, on this path, that were forked.
 */
export function branchProbability(
  rule: BranchRule,
  entropy: number,
  startEntropy: number,
  inARow: number,
): number {
  const change = (entropy - startEntropy) / rule.mostEntropy;
  const penalty = Math.min(1, inARow / rule.mostInARow);
  return Math.max(0, Math.min(1, (rule.base + rule.slope * change) * (1 - penalty)));
}

/**
 * `branch-entropy`: `whole` trajectories, and forks of them after tool results that made the policy less
 * certain, with `size` leaves in total.
 */
export function branchEntropy(
  size?: number,
  whole?: number,
  rule: BranchRule = { base: 0.2, slope: 2, mostEntropy: Math.log(384), mostInARow: 2 },
): RolloutPart<never, "group"> {
  return definePart(
    { groupSize: option(size, 8), whole: option(whole, 4) },
    ({ groupSize: size, whole }) => {
      const branching = planned("branch-entropy", "group", {
        kind: "branch",
        whole,
        size,
        branchAt: (entropies, inARow, random) => {
          const [start = 0] = entropies;
          return random() < branchProbability(rule, entropies.at(-1) ?? start, start, inARow);
        },
      });
      return { ...branching, around: [group(whole)] };
    },
  );
}

/**
 * `branch-vine`: forks at any turn, with equal probability.
 *
 * Source: Schulman et al. 2015, "TRPO" (vine), arXiv:1502.05477.
 */
export function branchVine(size = 8, whole = 2): RolloutPart<never, "group"> {
  return definePart({ size: fixed(size), whole: fixed(whole) }, () => ({
    ...planned("branch-vine", "group", {
      kind: "branch",
      whole,
      size,
      branchAt: (_, __, random) => random() < 0.5,
    }),
    around: [group(whole)],
  }));
}
