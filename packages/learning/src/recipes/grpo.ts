/**
 * GRPO with outcome rewards and without the KL term.
 *
 * Source: Shao et al. 2024, "DeepSeekMath", arXiv:2402.03300, equation 3.
 * Differs from it: token-mean over the minibatch instead of a mean over each trajectory first; no
 * reference KL; the standard deviation is the population's.
 */
import { FULL_SUPPORT } from "@waggle/protocol";
import { clippedSurrogate } from "../losses/clipped-surrogate.ts";
import { entropyBonus } from "../losses/entropy-bonus.ts";
import { groupRelativeAdvantages } from "../advantages/group-advantages.ts";
import { groupsOfTwoOrMore } from "../filters/group-filter.ts";
import { constantRate } from "../schedules/learning-rate.ts";
import { addLosses } from "../loss.ts";
import type { Recipe, RecipeOptions } from "../recipe.ts";

export function grpo(options: RecipeOptions = {}): Recipe {
  const coefficient = options.entropyCoefficient ?? 0;
  return {
    name: "grpo",
    sources: ["arXiv:2402.03300"],
    rollout: { sampling: FULL_SUPPORT, maxStaleness: options.maxStaleness ?? 1 },
    filter: groupsOfTwoOrMore,
    reward: (verification) => verification.reward,
    advantage: (rewards) => groupRelativeAdvantages(rewards, { scale: "std" }),
    loss: (batch) =>
      addLosses(
        clippedSurrogate(batch, { lower: 0.2, upper: 0.2 }, batch),
        entropyBonus(batch, coefficient, batch),
      ),
    state: null,
    schedule: {
      groupsPerStep: options.groupsPerStep ?? 16,
      epochs: options.epochs ?? 1,
      learningRate: options.learningRate ?? constantRate(3e-3),
      optimizer: { maxGradientNorm: 1, ...options.optimizer },
    },
    needs: coefficient === 0 ? ["logProb"] : ["logProb", "entropy"],
  };
}
