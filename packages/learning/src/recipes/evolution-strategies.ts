/**
 * Evolution strategies: parameters are moved by seeded noise and towards the noise that earned more; no
 * gradient, only forward passes and one number a perturbation.
 *
 * Source: Qiu et al. 2025, "Evolution Strategies at Scale: LLM Fine-Tuning Beyond Reinforcement
 * Learning", arXiv:2509.24372.
 * Differs from it: the adapter is perturbed, not the whole model; noise comes in mirrored pairs; the
 * step is divided by the noise's scale.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { evolutionStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const evolutionStrategies: CreateRecipe = recipe({
  name: "evolution-strategies",
  literature: "Evolution strategies",
  differs: [
    "the adapter is perturbed, not the whole model",
    "noise comes in mirrored pairs",
    "the step is divided by the noise's scale",
  ],
  schedule: ["one"],
  settings: { perturbations: 16, scale: 0.01, steps: 25, learningRate: 1e-4 },
  stages: ({ perturbations, scale, steps, learningRate }) => [
    evolutionStage({
      rollout: parts.noiseSeed(perturbations, scale),
      reward: parts.outcome(),
      fitness: parts.fitness(),
      how: parts.evolutionStrategy(),
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});
