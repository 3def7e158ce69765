/** The models that a recipe trains or asks beside the policy. */
import type { TrainEngine, TrainSequence } from "@waggle/protocol";

/** Log-probs of policies that are not trained, `[B][T]`. */
export type FrozenScorer = (
  sequences: readonly TrainSequence[],
) => Promise<readonly Float32Array[]>;

/** Engines of what a recipe trains beside the policy, by the names that its stages give. */
export type RecipeModels = ReadonlyMap<string, TrainEngine>;
