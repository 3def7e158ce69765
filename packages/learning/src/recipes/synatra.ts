/**
 * Synatra: how-tos are made into demonstrations; what they would have seen is imagined.
 *
 * Source: "Synatra: Turning Indirect Knowledge into Direct Demonstrations for Digital Agents at
 * Scale" (S314).
 * Differs from it: a how-to is written by rule, with examples of another task's results; a model
 * neither writes nor checks the demonstration.
 * Why: no language model rewrites web pages here; a rule writes the same in every run.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const synatra: CreateRecipe = recipe({
  name: "synatra",
  literature: "Synatra",
  differs: [
    "a how-to is written by rule, with examples of another task's results",
    "a model neither writes nor checks the demonstration",
  ],
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    tokenStage({
      rollout: parts.formedDemos(["tutorial"]),
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
