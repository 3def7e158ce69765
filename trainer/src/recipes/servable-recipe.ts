/**
 * Checks whether an inference server can sample a recipe's rollouts, and corrects for the server's
 * different numerics.
 */
import { type Recipe, type Stage, usedParts } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";

/**
 * @throws WaggleError `CAPABILITY_MISSING` for a recipe that needs more of a sampler than servers
 *   provide.
 */
export function requireServable(recipe: Recipe): void {
  const entropy = usedParts(recipe).find(({ readsEntropies }) => readsEntropies === true);
  if (entropy !== undefined) {
    throw refusal(recipe, `its part ${entropy.part} reads the entropy of each sampled token`);
  }
  for (const { name, state, settings, evolution } of stagesOf(recipe.stages)) {
    if (state["role-adapters"] !== undefined || state.opponents !== undefined) {
      throw refusal(recipe, `stage ${name} samples from several adapters at a time`);
    }
    if (evolution !== null) throw refusal(recipe, `stage ${name} changes parameters in place`);
    const { temperature, topK, topP } = settings.sampling;
    if (
      temperature !== FULL_SUPPORT.temperature ||
      topK !== FULL_SUPPORT.topK ||
      topP !== FULL_SUPPORT.topP
    ) {
      throw refusal(
        recipe,
        `stage ${name} samples at temperature ${temperature}, top-k ${topK}, top-p ${topP}`,
      );
    }
  }
}

type TokenLoss = Parameters<typeof parts.truncatedImportance>[0];

/** A loss part, or a part that it wraps. */
type Correcting = {
  readonly part: string;
  readonly corrects?: true;
  readonly around?: readonly Correcting[];
};

function isCorrected({ corrects, around = [] }: Correcting): boolean {
  return corrects === true || around.some(isCorrected);
}

/**
 * Wraps the losses that learn from rewards in truncated importance weights. The server computes in
 * another precision than the trainer, so its samples are slightly off-policy. A recipe with a
 * correction of its own is unchanged.
 *
 * Source: Yao et al. 2025, "Your Efficient RL Framework Secretly Brings You Off-Policy RL Training"
 * (TIS); TRL does the same, with the same cap, as `vllm_importance_sampling_correction`.
 */
export function withSamplerCorrection(recipe: Recipe, cap: number): Recipe {
  if (cap === 0) return recipe;
  const corrected = (stage: Stage): Stage => {
    if (stage.learns !== "rewards") return stage;
    const losses = stage.losses.map(({ loss, weight }) => ({
      weight,
      loss: isCorrected(loss) ? loss : parts.truncatedImportance(loss as TokenLoss, cap),
    }));
    return { ...stage, losses };
  };
  return { ...recipe, stages: recipe.stages.map(corrected) };
}

/** The recipe's stages, and those of models that it merges. */
function stagesOf(stages: readonly Stage[]): readonly Stage[] {
  return stages.flatMap((stage) => [stage, ...stagesOf(stage.merging?.members.flat() ?? [])]);
}

function refusal({ name }: Recipe, why: string): WaggleError {
  return new WaggleError(
    "CAPABILITY_MISSING",
    `recipe ${name} cannot sample on a server: ${why}. Run it without --sampler, or choose another recipe`,
  );
}
