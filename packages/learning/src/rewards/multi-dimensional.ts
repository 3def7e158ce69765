/**
 * `multi-dim`: a reward that stays a vector until somebody weighs it. The Pareto front says which
 * rollouts are best for some weights; weights may differ by user or by step.
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

/** True where `a` is at least as good in all and better in one. */
export function dominates(a: readonly number[], b: readonly number[]): boolean {
  return a.every((value, i) => value >= b[i]!) && a.some((value, i) => value > b[i]!);
}

/** Indices that nothing dominates, in order. */
export function paretoFront(vectors: readonly (readonly number[])[]): number[] {
  return vectors.flatMap((own, i) => (vectors.some((other) => dominates(other, own)) ? [] : [i]));
}

/** `[N]` 0 for the front, 1 for what is left when the front is taken away, and so on. */
export function paretoRanks(vectors: readonly (readonly number[])[]): number[] {
  const ranks = vectors.map(() => -1);
  for (let rank = 0; ranks.includes(-1); rank += 1) {
    const left = ranks.flatMap((own, i) => (own < 0 ? [i] : []));
    for (const at of paretoFront(left.map((i) => vectors[i]!))) ranks[left[at]!] = rank;
  }
  return ranks;
}
