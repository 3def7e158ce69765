/** Parameters moved without backpropagation. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { evolutionStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/**
 * Evolution strategies: perturbs parameters with seeded noise and moves them towards noise with higher rewards; no
 * gradient, only forward passes and one number per perturbation.
 *
 * Source: Qiu et al. 2025, "Evolution Strategies at Scale: LLM Fine-Tuning Beyond Reinforcement Learning",
 * arXiv:2509.24372.
 * Differs from it: only B of the adapter is perturbed, not the whole model; noise comes in mirrored pairs; the step
 * is divided by the noise scale.
 * Why: pages load an adapter, mirrored pairs cancel the common part, and the step size does not depend on the noise
 * scale.
 */
const evolutionStrategies: CreateRecipe = recipe({
  name: "evolution-strategies",
  literature: "Evolution strategies",
  differs: [
    "only B of the adapter is perturbed, not the whole model",
    "noise comes in mirrored pairs",
    "the step is divided by the noise scale",
  ],
  mechanism: "partial",
  schedule: ["one"],
  settings: {
    perturbations: 16,
    scale: 0.1,
    place: "",
    tasks: 16,
    steps: 25,
    learningRate: 0.02,
  },
  stages: ({ perturbations, scale, place, tasks, steps, learningRate }) => [
    evolutionStage({
      rollout: parts.noiseSeed(
        perturbations,
        scale,
        (tensor) => !tensor.includes("lora_A") && tensor.includes(place),
      ),
      reward: parts.outcome(),
      fitness: parts.fitness(),
      how: parts.evolutionStrategy(),
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});

export const EVOLUTION_RECIPES: readonly CreateRecipe[] = [evolutionStrategies];
