/**
 * An entropy bonus whose coefficient keeps entropy from falling below a target, and is 0 while entropy is
 * above it.
 *
 * Source: He et al. 2025, "Skywork Open Reasoner 1", arXiv:2505.22312, section 4.4.
 */
import { option, definePart } from "../../composition/part-options.ts";
import type { FilterPart, LossPart } from "../../composition/part.ts";
import { kept, type StatePart } from "../../composition/state.ts";
import { filterPart } from "../../filters/filter-part.ts";
import { meanEntropy } from "../../schedules/temperature-target.ts";
import { lossPart } from "../loss-part.ts";
import { entropyBonusLoss } from "./entropy-bonus.ts";

/** State that is kept from step to step. */
export type AdaptiveEntropy = {
  /** The coefficient that applies while entropy is at or below the target. */
  readonly strength: number;
};

/** The target and how fast the strength follows it. */
export type EntropyTarget = {
  /** Nats per token. */
  readonly target: number;
  /** How much the strength changes per step. */
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

/** The coefficient of `entropyBonus` at this mean entropy. */
export function adaptiveEntropyCoefficient(
  { strength }: AdaptiveEntropy,
  entropy: number,
  { target }: EntropyTarget,
): number {
  return entropy <= target ? strength : 0;
}

/** The strength for the next step, and the coefficient of this step. */
type EntropyStrength = AdaptiveEntropy & { readonly coefficient: number };

/** The state of the bonus. The coefficient is 0 until entropy was measured. */
export function entropyStrength(strength?: number): StatePart<"entropy-strength"> {
  return definePart(
    { entropyStrengthStrength: option(strength, 0) },
    ({ entropyStrengthStrength: strength }) =>
      kept("entropy-strength", (): EntropyStrength => ({ strength, coefficient: 0 })),
  );
}

/** Measures the mean entropy of the sampled tokens and updates the strength. Drops nothing. */
export function entropyTarget(target: EntropyTarget): FilterPart<"entropy-strength"> {
  return filterPart(
    "entropy-target",
    (groups, { state }) => {
      const before = state["entropy-strength"] as EntropyStrength;
      const entropy = meanEntropy(groups);
      // Nothing was sampled, so there is no entropy to measure.
      if (Number.isNaN(entropy)) return { groups, dropped: new Map() };
      const strength: EntropyStrength = {
        ...nextAdaptiveEntropy(before, entropy, target),
        coefficient: adaptiveEntropyCoefficient(before, entropy, target),
      };
      return { groups, dropped: new Map(), state: { "entropy-strength": strength } };
    },
    { needs: ["entropy-strength"] },
  );
}

/** An entropy bonus with the coefficient that `entropyTarget` has set. */
export function adaptiveEntropy(): LossPart<"entropy-strength"> {
  return lossPart(
    "adaptive-entropy",
    (minibatch, { state }) => {
      const { coefficient } = state["entropy-strength"] as EntropyStrength;
      return entropyBonusLoss(minibatch, coefficient, minibatch);
    },
    { needs: ["entropy-strength"], derivatives: ["entropy"] },
  );
}
