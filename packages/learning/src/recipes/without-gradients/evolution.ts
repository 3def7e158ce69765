/** Parameters moved without backpropagation. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { evolutionStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/**
 * Evolution strategies: parameters are moved by seeded noise and towards the noise that earned more; no
 * gradient, only forward passes and one number a perturbation.
 *
 * Source: Qiu et al. 2025, "Evolution Strategies at Scale: LLM Fine-Tuning Beyond Reinforcement
 * Learning", arXiv:2509.24372.
 * Differs from it: B of the adapter is perturbed, not the whole model, and A stays as it was drawn: noise in it
 * does nothing while B is 0, and afterwards turns with B's; noise comes in mirrored pairs; the step is
 * divided by the noise's scale.
 * Why: an adapter is what pages load, mirrored pairs cancel what both directions share, and a step's size
 * then does not hang on the noise's.
 */
const evolutionStrategies: CreateRecipe = recipe({
  name: "evolution-strategies",
  literature: "Evolution strategies",
  differs: [
    "B of the adapter is perturbed, not the whole model; A stays as it was drawn",
    "noise comes in mirrored pairs",
    "the step is divided by the noise's scale",
  ],
  mechanism: "whole",
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
