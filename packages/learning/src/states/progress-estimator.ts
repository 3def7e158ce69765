/**
 * `progress-est`: the contribution of each step, learned only from outcomes: a linear model of step features
 * whose contributions over a rollout are fitted to sum to its outcome. A plain value.
 *
 * Source: Wang et al. 2025, "SPA-RL", arXiv:2505.20732 (squared error between summed contributions and
 * the outcome). Differs from it: linear in given features, not a head of the model.
 */
import type { JudgedTrajectory, JudgedTurn } from "../composition/judged-trajectory.ts";
import type { StatePart } from "../composition/state.ts";
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";

export type ProgressEstimator = { readonly weights: readonly number[] };

export function progressEstimator(features: number): ProgressEstimator {
  return { weights: Array.from({ length: features }, () => 0) };
}

/** `[steps]` contribution of each step, weights · features. */
export function stepContributions(
  { weights }: ProgressEstimator,
  steps: readonly (readonly number[])[],
): number[] {
  return steps.map((features) => {
    requireSameLength("features", features.length, "the estimator's weights", weights.length);
    return features.reduce((sum, feature, i) => sum + feature * weights[i]!, 0);
  });
}

/**
 * One gradient step on ½ · mean (Σ contributions − outcome)² over rollouts.
 *
 * @param runs - `[N][steps][features]`
 * @param outcomes - `[N]`
 */
export function fitProgress(
  estimator: ProgressEstimator,
  runs: readonly (readonly (readonly number[])[])[],
  outcomes: readonly number[],
  rate: number,
): ProgressEstimator {
  requireSameLength("outcomes", outcomes.length, "runs", runs.length);
  requireFiniteRewards(outcomes);
  const gradient = estimator.weights.map(() => 0);
  for (const [n, steps] of runs.entries()) {
    const predicted = stepContributions(estimator, steps).reduce((a, b) => a + b, 0);
    const error = (predicted - outcomes[n]!) / runs.length;
    for (const features of steps) {
      for (const [i, feature] of features.entries()) gradient[i] = gradient[i]! + error * feature;
    }
  }
  return { weights: estimator.weights.map((weight, i) => weight - rate * gradient[i]!) };
}

/** The number of features that `featuresOf` returns. */
const FEATURES = 6;

/** State: the linear model of turn contributions, initially 0. */
export const progressEstimate: StatePart<"progress-est"> = {
  slot: "state",
  part: "progress-est",
  initial: () => progressEstimator(FEATURES),
};

/** `[turns][features]`: has a successful call, a failed call, a repeated call, only text, is unreadable; constant. */
export function featuresOf({ turns }: JudgedTrajectory): number[][] {
  const earlier = new Set<string>();
  return turns.map((turn) => {
    const calls = callsOf(turn);
    const isRepeated = calls.length > 0 && calls.every((call) => earlier.has(call));
    for (const call of calls) earlier.add(call);
    const failed = turn.toolResults.some(({ ok }) => !ok);
    return [
      calls.length > 0 && !failed && !isRepeated,
      failed,
      isRepeated,
      calls.length === 0,
      turn.parseError !== null,
      true,
    ].map(Number);
  });
}

function callsOf({ toolCalls }: JudgedTurn): string[] {
  return toolCalls.map((call) => JSON.stringify([call.name, call.arguments]));
}
