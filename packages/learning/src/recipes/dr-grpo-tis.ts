/**
 * The default for assigned tasks from asynchronous, untrusted samplers: group mean as the baseline
 * without a standard deviation, clip higher, token-mean, token-level truncated importance weights,
 * groups without a signal left out.
 *
 * Sources: Dr. GRPO arXiv:2503.20783; DAPO arXiv:2503.14476; truncated weights between sampler and
 * trainer, Yao et al. 2025; decoupled proximal policy arXiv:2110.00641, arXiv:2505.24298.
 * Differs from Dr. GRPO: token-mean over the minibatch instead of a constant length.
 */
import { FULL_SUPPORT } from "@waggle/protocol";
import { clippedSurrogate } from "../losses/clipped-surrogate.ts";
import { entropyBonus } from "../losses/entropy-bonus.ts";
import { groupRelativeAdvantages } from "../advantages/group-advantages.ts";
import { zeroVarianceFilter } from "../filters/group-filter.ts";
import { truncatedImportanceWeights } from "../corrections/importance-weights.ts";
import { constantRate } from "../schedules/learning-rate.ts";
import { addLosses } from "../loss.ts";
import type { Recipe, RecipeOptions } from "../recipe.ts";

/** Largest importance weight of a token. */
const WEIGHT_CAP = 2;

export function drGrpoTis(options: RecipeOptions = {}): Recipe {
  const coefficient = options.entropyCoefficient ?? 0;
  return {
    name: "dr-grpo-tis",
    sources: ["arXiv:2503.20783", "arXiv:2503.14476", "arXiv:2110.00641"],
    rollout: { sampling: FULL_SUPPORT, maxStaleness: options.maxStaleness ?? 4 },
    filter: zeroVarianceFilter(),
    reward: (verification) => verification.reward,
    advantage: (rewards) => groupRelativeAdvantages(rewards),
    loss: (batch) => {
      const { weights } = truncatedImportanceWeights(batch, WEIGHT_CAP);
      return addLosses(
        clippedSurrogate({ ...batch, weights }, { lower: 0.2, upper: 0.28 }, batch),
        entropyBonus(batch, coefficient, batch),
      );
    },
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
