/**
 * `adaptive-entropy`: an entropy bonus that is paid while the measured entropy lies at or below its target,
 * and is the stronger the longer that lasts.
 *
 * Source: He et al. 2025, "Skywork Open Reasoner 1", arXiv:2505.22312, section 4.4. Differs from it: the
 * entropy is that of the sampled tokens when they were sampled.
 */
import type { FilterPart, LossPart } from "../composition/part.ts";
import { kept, type StatePart } from "../composition/state.ts";
import {
  type AdaptiveEntropy,
  adaptiveEntropyCoefficient,
  type EntropyTarget,
  nextAdaptiveEntropy,
} from "../losses/adaptive-entropy.ts";
import { entropyBonus } from "../losses/entropy-bonus.ts";
import { filterPart } from "./filter-part.ts";
import { lossPart } from "./loss-part.ts";
import { meanEntropy } from "./temperature-target.ts";

/** What the next step begins with, and what a nat of entropy is paid in this one. */
type EntropyStrength = AdaptiveEntropy & { readonly coefficient: number };

/** Where it stands; nothing is paid before entropy was measured. */
export function entropyStrength(strength = 0): StatePart<"entropy-strength"> {
  return kept("entropy-strength", (): EntropyStrength => ({ strength, coefficient: 0 }));
}

/** Leaves none out: measures the mean entropy of sampled tokens and moves the strength by it. */
export function entropyTarget(target: EntropyTarget): FilterPart<"entropy-strength"> {
  return filterPart(
    "entropy-target",
    (groups, { state }) => {
      const before = state["entropy-strength"] as EntropyStrength;
      const entropy = meanEntropy(groups);
      // Nothing was sampled: nothing was measured.
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

/** Pays uncertainty as much as `entropyTarget` found. */
export function adaptiveEntropy(): LossPart<"entropy-strength"> {
  return lossPart(
    "adaptive-entropy",
    (minibatch, { state }) => {
      const { coefficient } = state["entropy-strength"] as EntropyStrength;
      return entropyBonus(minibatch, coefficient, minibatch);
    },
    { needs: ["entropy-strength"], derivatives: ["entropy"] },
  );
}
