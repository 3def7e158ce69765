/**
 * A coefficient of the entropy bonus that keeps entropy from falling below a target, and is 0 while it
 * lies above.
 *
 * Source: He et al. 2025, "Skywork Open Reasoner 1", arXiv:2505.22312, section 4.4.
 */

/** Kept from step to step. */
export type AdaptiveEntropy = {
  /** What the coefficient is while entropy is at or below the target. */
  readonly strength: number;
};

export type EntropyTarget = {
  /** Nats per token. */
  readonly target: number;
  /** What the strength rises or falls by each step. */
  readonly stepSize: number;
  /** Largest strength. */
  readonly most: number;
};

/** The state after a step whose tokens had this mean entropy, in nats. */
export function nextAdaptiveEntropy(
  { strength }: AdaptiveEntropy,
  entropy: number,
  { target, stepSize, most }: EntropyTarget,
): AdaptiveEntropy {
  const moved = strength + (entropy < target ? stepSize : -stepSize);
  return { strength: Math.min(most, Math.max(0, moved)) };
}

/** The coefficient for `entropyBonus` at this mean entropy. */
export function adaptiveEntropyCoefficient(
  { strength }: AdaptiveEntropy,
  entropy: number,
  { target }: EntropyTarget,
): number {
  return entropy <= target ? strength : 0;
}
