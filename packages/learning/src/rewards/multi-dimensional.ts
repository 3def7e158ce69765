/**
 * `multi-dim`: a reward that stays a vector until it is weighed; weights may differ by user or by step.
 *
 * Source: AI-SearchPlanner (utility and cost), "Learning to Generate Research Idea with Dynamic Control".
 */
import { requireFiniteRewards, requireSameLength } from "../statistics.ts";

/** Σ weight · component, position by position. */
export function scalarized(vector: readonly number[], weights: readonly number[]): number {
  requireSameLength("weights", weights.length, "vector", vector.length);
  requireFiniteRewards(vector);
  return vector.reduce((sum, value, i) => sum + value * weights[i]!, 0);
}
