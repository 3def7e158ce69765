/**
 * Weights by return, for imitation in which better runs teach more (`cond`).
 *
 * Source: Peters and Schaal 2007, "Reward-Weighted Regression".
 */
import { option, definePart } from "../../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { LossPart } from "../../composition/part.ts";
import { lossPart } from "../loss-part.ts";
import { supervisedLoss } from "./supervised-loss.ts";

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

/** `cond`: cross-entropy, trajectories weighed by exp((return − best) / temperature). */
export function returnConditioned(temperature?: number): LossPart {
  return definePart({ temperature: option(temperature, 0.5) }, ({ temperature }) =>
    lossPart("cond", (minibatch) => {
      const ofRow = returnWeights(
        minibatch.trajectories.map(({ reward }) => reward.total),
        temperature,
      );
      const weights = minibatch.weights.map((row, b) =>
        Float64Array.from(row, (weight) => weight * (ofRow[b] as number)),
      );
      return supervisedLoss({ ...minibatch, weights }, minibatch);
    }),
  );
}
