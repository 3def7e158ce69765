/**
 * `branch-entropy`: fork after a tool result where the policy has become less certain than it began,
 * within a budget of leaves that is split between whole rollouts and branches.
 *
 * Source: Dong et al. 2025, ARPO, arXiv:2507.19849 (branch where α + β·ΔH passes a threshold); AEPO,
 * arXiv:2510.14545 (m = k · σ(β(H_root − H_tool)) whole rollouts; a penalty on branching in a row).
 * Differs from them: the rule is one value, α + β·ΔH is a probability and is drawn, and the penalty
 * falls linearly to 0 over `mostInARow` branches.
 */
import { meanOf, requireInside } from "../statistics.ts";

/** Mean entropy of the first `count` sampled tokens of a turn, nats; of fewer where it has fewer. */
export function openingEntropy(entropies: readonly number[], count: number): number {
  requireInside("count", count, 1, Number.MAX_SAFE_INTEGER);
  return meanOf(entropies.slice(0, count));
}

/**
 * Of `budget` leaves, how many begin as whole rollouts: k · σ(sensitivity · (H_root − H_tool)), at least
 * 1 and at most all.
 *
 * @param rootEntropy - of the first turn, nats, measured before.
 * @param toolEntropy - mean over turns after a tool result, nats.
 */
export function wholeRollouts(
  budget: number,
  rootEntropy: number,
  toolEntropy: number,
  sensitivity: number = 1,
): number {
  requireInside("budget", budget, 1, Number.MAX_SAFE_INTEGER);
  const share = 1 / (1 + Math.exp(-sensitivity * (rootEntropy - toolEntropy)));
  return Math.min(budget, Math.max(1, Math.round(budget * share)));
}

export type BranchRule = {
  /** Probability at ΔH = 0. */
  readonly base: number;
  /** Added per unit of ΔH. */
  readonly slope: number;
  /** log of the vocabulary's size: ΔH is in shares of it, so that it is comparable across models. */
  readonly mostEntropy: number;
  /** Branches in a row at which the probability is 0. */
  readonly mostInARow: number;
};

/**
 * Probability of a fork at this turn, in [0, 1].
 *
 * @param entropy - opening entropy of this turn, nats; `startEntropy` of the first turn.
 * @param inARow - turns just before this one, on this path, that were forked.
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

/** Leaves still to be had. Starts with the whole rollouts that are under way. */
export type BranchBudget = { readonly budget: number; readonly leaves: number };

/**
 * Whether to fork here, into two, and the budget after it. A fork adds one leaf; the budget is never
 * passed.
 */
export function decideBranch(
  state: BranchBudget,
  probability: number,
  random: () => number,
): { readonly forks: boolean; readonly state: BranchBudget } {
  requireInside("leaves", state.leaves, 0, state.budget);
  const forks = state.leaves < state.budget && random() < probability;
  return { forks, state: forks ? { ...state, leaves: state.leaves + 1 } : state };
}

/** Whole rollouts that fill the budget where too few branches came about: leaves equal the budget. */
export function fillUp({ budget, leaves }: BranchBudget): number {
  return budget - leaves;
}
