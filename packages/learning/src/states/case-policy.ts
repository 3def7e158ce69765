/**
 * Chooses the case to read: a value for each case in a situation, linear in features of both, and a softmax
 * over these values. Learned online from rewards; the model's weights are frozen.
 *
 * Source: Zhou et al. 2025, "AgentFly" (Memento), arXiv:2508.16153: the soft Q-learning of a retrieval
 * policy over cases, μ(c|s) ∝ exp(Q(s, c)/α), with a parametric Q; Haarnoja et al. 2017, "Reinforcement
 * Learning with Deep Energy-Based Policies", arXiv:1702.08165 (soft value).
 * Differs from it: Q is linear in the words that two situations share, no learned text encoder.
 */
import { hashText } from "@waggle/protocol";
import { requireFiniteRewards, requireInside, requireSameLength } from "../statistics.ts";
import { type Case, valueIn } from "./case-memory.ts";
import { wordOverlap } from "./words.ts";

/** Number of hash buckets for shared words. */
const BUCKETS = 64;
/** Number of features: constant, similarity, the case's own value, and the buckets. */
const FIRST_BUCKET = 3;

export type CasePolicy = {
  /** `[features]` */
  readonly weights: readonly number[];
  /** α, the temperature of the choice, in units of value. */
  readonly temperature: number;
};

/** The initial policy: similarity and the case's own value have equal weight. */
export function casePolicy(temperature: number = 0.1): CasePolicy {
  requireInside("temperature", temperature, Number.MIN_VALUE, Number.MAX_VALUE);
  const weights = Array.from({ length: FIRST_BUCKET + BUCKETS }, () => 0);
  weights[1] = 1;
  weights[2] = 1;
  return { weights, temperature };
}

/** `[features]` of a case in a situation. `stage` selects the case's value. */
export function caseFeatures(entry: Case, situation: string, stage?: string): number[] {
  const features = Array.from({ length: FIRST_BUCKET + BUCKETS }, () => 0);
  features[0] = 1;
  const { shared, likeness } = wordOverlap(entry.situation, situation);
  features[1] = likeness;
  features[2] = valueIn(entry, stage);
  for (const word of shared) {
    features[FIRST_BUCKET + (hashText(word) % BUCKETS)] = 1;
  }
  return features;
}

/** `[cases]` Q values, from `[cases][features]`. */
export function caseValues(
  { weights }: CasePolicy,
  features: readonly (readonly number[])[],
): number[] {
  return features.map((row) => {
    requireSameLength("features", row.length, "weights", weights.length);
    return row.reduce((sum, value, i) => sum + value * weights[i]!, 0);
  });
}

/** Soft value of a situation, α log Σ exp(Q/α); 0 without cases. */
export function softValue(values: readonly number[], temperature: number): number {
  if (values.length === 0) return 0;
  const most = Math.max(...values);
  const sum = values.reduce((all, value) => all + Math.exp((value - most) / temperature), 0);
  return most + temperature * Math.log(sum);
}

/** `[cases]` probability of reading each case: softmax of Q/α. */
export function choiceChances(values: readonly number[], temperature: number): number[] {
  const soft = softValue(values, temperature);
  return values.map((value) => Math.exp((value - soft) / temperature));
}

/** `[features]` gradient of the log-probability of reading `chosen`: (φ − Σ μ φ)/α. */
export function logChanceGradient(
  policy: CasePolicy,
  features: readonly (readonly number[])[],
  chosen: number,
): number[] {
  const chances = choiceChances(caseValues(policy, features), policy.temperature);
  return policy.weights.map((_, i) => {
    const mean = features.reduce((sum, row, c) => sum + chances[c]! * row[i]!, 0);
    return (features[chosen]![i]! - mean) / policy.temperature;
  });
}

/** ½(Q − target)² and its semi-gradient, with a constant target. */
export function caseLoss(
  policy: CasePolicy,
  features: readonly number[],
  target: number,
): { readonly loss: number; readonly gradient: number[] } {
  requireFiniteRewards([target]);
  const [value] = caseValues(policy, [features]);
  const error = value! - target;
  return { loss: 0.5 * error ** 2, gradient: features.map((feature) => error * feature) };
}

/** One step of gradient descent. */
export function movedPolicy(
  policy: CasePolicy,
  gradient: readonly number[],
  rate: number,
): CasePolicy {
  requireSameLength("gradient", gradient.length, "weights", policy.weights.length);
  return { ...policy, weights: policy.weights.map((weight, i) => weight - rate * gradient[i]!) };
}
