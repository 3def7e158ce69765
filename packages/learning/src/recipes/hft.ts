/**
 * HFT: half of the matrices of each layer learn, another half in each step.
 *
 * Source: Hui et al. 2024, "HFT: Half Fine-Tuning for Large Language Models", arXiv:2404.18466.
 * Differs from it: the half is drawn anew in every step, not in every stage.
 * Why: there is one stage: one draw would leave half of the adapter as it was to the end.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const hft: CreateRecipe = recipe({
  name: "hft",
  literature: "HFT",
  differs: ["the half is drawn anew in every step, not in every stage"],
  schedule: ["rounds"],
  settings: { share: 0.5, rounds: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ share, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [parts.parameterSubset(parts.crossEntropy(), parts.drawnShare(share))],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
