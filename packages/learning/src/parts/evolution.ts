/** Parts of evolution strategies: noise by seeds, scores as weights, the step. */
import type { EvolutionPart, FitnessPart } from "../composition/evolution.ts";
import type { RolloutPart } from "../composition/part.ts";
import { evolutionStep } from "../gradient-free/evolution-strategies.ts";

/**
 * `noise-seed`: parameters moved by seeded noise of deviation `scale`, one trajectory a task for each.
 *
 * @param moves - which tensors; default all.
 */
export function noiseSeed(
  perturbations: number,
  scale: number,
  moves: (tensor: string) => boolean = () => true,
): RolloutPart<never, "single"> {
  const plan = { kind: "noise", perturbations, scale, moves } as const;
  return { slot: "rollout", part: "noise-seed", start: "single", needs: [], plan: () => plan };
}

/** `fitness`: scores at mean 0 and deviation 1, or by rank. */
export function fitness(kind: FitnessPart["kind"] = "standardized"): FitnessPart {
  return { slot: "advantage", part: "fitness", kind };
}

/** `es`: towards the noise that scored well. */
export function evolutionStrategy(): EvolutionPart {
  return { slot: "loss", part: "es", step: evolutionStep };
}
