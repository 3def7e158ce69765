/**
 * Imitation that is told how good what it imitates was (`cond`): every run teaches, and at run time the
 * policy is asked for the best. Text and tokens of the label are the data's matter; here are its numbers:
 * returns to go, their classes, the order of a chain of attempts, weights by return.
 *
 * Sources: returns to go, Chen et al. 2021, "Decision Transformer", arXiv:2106.01345; chains of attempts
 * from worst to best with the best return as the target, Liu and Abbeel 2023, "Emergent Agentic
 * Transformer from Chain of Hindsight Experience", arXiv:2305.16554; weights by return, Peters and Schaal
 * 2007, "Reward-Weighted Regression".
 */
import { WaggleError } from "@waggle/protocol";

/** `[T]` Σ_{k≥t} discount^{k−t}·reward_k: what was still to come at each step. */
export function returnsToGo(rewards: readonly number[], discount: number = 1): number[] {
  const returns: number[] = [];
  let ahead = 0;
  for (const reward of rewards.toReversed()) {
    ahead = reward + discount * ahead;
    returns.push(ahead);
  }
  return returns.reverse();
}

/**
 * The class of a return: how many of the ascending edges it has reached.
 *
 * @returns 0 … edges.length; one label each.
 */
export function returnClass(value: number, edges: readonly number[]): number {
  return edges.filter((edge) => value >= edge).length;
}

export type HindsightChain = {
  /** Indices of the attempts, worst first; ties in the order given. */
  readonly order: readonly number[];
  /** What every attempt of the chain is asked for: the best return among them. */
  readonly target: number;
};

/** Attempts at one task as a chain of hindsight. */
export function hindsightChain(returns: readonly number[]): HindsightChain {
  requireFinite(returns);
  return {
    order: returns.map((_, i) => i).sort((a, b) => (returns[a] as number) - (returns[b] as number)),
    target: Math.max(...returns),
  };
}

/** `[N]` exp((R − best) / temperature) over their mean: weights for `supervisedLoss` that average 1. */
export function returnWeights(returns: readonly number[], temperature: number): number[] {
  requireFinite(returns);
  const best = Math.max(...returns);
  const raw = returns.map((value) => Math.exp((value - best) / temperature));
  const mean = raw.reduce((sum, weight) => sum + weight, 0) / raw.length;
  return raw.map((weight) => weight / mean);
}

function requireFinite(returns: readonly number[]): void {
  const index = returns.findIndex((value) => !Number.isFinite(value));
  if (index >= 0 || returns.length === 0) {
    throw new WaggleError(
      "NON_FINITE_REWARD",
      `returns must be finite and at least one, got ${index < 0 ? "none" : `returns[${index}] = ${returns[index]}`}; leave out what has no verdict`,
    );
  }
}
