/**
 * SPIN: what was demonstrated is preferred to what the checkpoint before would have done, round after round.
 *
 * Source: Chen et al. 2024, "Self-Play Fine-Tuning Converts Weak Language Models to Strong Language Models",
 * arXiv:2401.01335; for images "Self-Play Fine-Tuning of Diffusion Models", arXiv:2402.10210.
 * Differs from it: the reference is the base in every round, not the checkpoint before.
 * Why: the base is held anyway, a checkpoint would be one adapter more.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
export const spin: CreateRecipe = recipe({
  name: "spin",
  literature: "SPIN",
  differs: ["the reference is the base in every round, not the checkpoint before"],
  schedule: ["rounds"],
  settings: { beta: 0.1, steps: 6, rounds: 3, learningRate: 3e-3 },
  stages: ({ beta, steps, learningRate }) => [
    pairStage({
      rollout: parts.demosAgainstPast(),
      filters: [parts.demonstrationPairs()],
      reward: parts.preference(),
      losses: [parts.dpo(beta)],
      state: { ref: parts.reference, opponents: parts.opponents(1, ["student"]) },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});
