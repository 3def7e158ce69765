/**
 * SAP: the model is split; the lower part stays with the owner of the data, who tells the upper part
 * less than it knows, and only the upper part learns.
 *
 * Source: "A Split-and-Privatize Framework for Large Language Model Fine-Tuning" (S010).
 * Differs from it: given tokens are replaced at random before the lower part instead of noise on what it
 * gives; both parts run in one process.
 * Why: noise on what a layer gives would need a graph of its own in the engine.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const sap: CreateRecipe = recipe({
  name: "sap",
  literature: "SAP",
  differs: [
    "given tokens are replaced at random before the lower part instead of noise on what it gives",
    "both parts run in one process",
  ],
  schedule: ["sft"],
  settings: { replaced: 0.05, from: 0.5, mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ replaced, from, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      filters: [parts.privatize(replaced)],
      losses: [parts.parameterSubset(parts.crossEntropy(), parts.upperLayers(from))],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
