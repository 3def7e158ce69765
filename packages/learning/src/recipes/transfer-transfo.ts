/**
 * TransferTransfo: the whole dialogue as a language model beside the replies.
 *
 * Source: Wolf et al. 2019, "TransferTransfo", arXiv:1901.08149.
 * Differs from it: no choice of the next utterance among distractors.
 * Why: that needs a classification head.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const transferTransfo: CreateRecipe = recipe({
  name: "transfer-transfo",
  literature: "TransferTransfo",
  differs: ["no choice of the next utterance among distractors: that needs a classification head"],
  schedule: ["sft"],
  settings: { weight: 0.5, steps: 25, learningRate: 3e-3 },
  stages: ({ weight, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [parts.crossEntropy(), { loss: parts.auxiliaryText(), weight }],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
