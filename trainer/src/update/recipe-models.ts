/** The models that a recipe uses beside the policy: trained ones and frozen ones. */
import type { TrainEngine, TrainSequence } from "@waggle/protocol";

/** Log-probs under a frozen policy, `[B][T]`. */
export type FrozenScorer = (
  sequences: readonly TrainSequence[],
) => Promise<readonly Float32Array[]>;

/** Engines of the other models that a recipe trains, by the names in its stages. */
export type RecipeModels = ReadonlyMap<string, TrainEngine>;
