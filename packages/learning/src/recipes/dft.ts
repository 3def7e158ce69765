/**
 * DFT: the loss of each token is scaled by its own probability, which is held fixed.
 *
 * Source: Wu et al. 2025, "On the Generalization of SFT: A Reinforcement Learning Perspective with
 * Reward Rectification" (S245).
 * Differs from it: in nothing but the model and the tasks.
 * Why: the formula needs nothing else.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const dft: CreateRecipe = recipe({
  name: "dft",
  literature: "DFT",
  differs: [],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    demonstrationStart({ steps, learningRate, loss: parts.dft() }),
  ],
});
