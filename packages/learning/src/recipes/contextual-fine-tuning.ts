/**
 * Contextual fine-tuning: a prompt on how to learn stands before each sample and carries no loss.
 *
 * Source: "Teaching LLMs How to Learn with Contextual Fine-Tuning" (S318).
 * Differs from it: three prompts in turn, as sentences of the system message.
 * Why: three sentences fit the nano context.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

const PROMPTS = ["Be brief.", "Think of what each call gives.", "Put mistakes right."];

export const contextualFineTuning: CreateRecipe = recipe({
  name: "contextual-fine-tuning",
  literature: "Contextual fine-tuning",
  differs: ["three prompts in turn, as sentences of the system message"],
  schedule: ["sft"],
  settings: { mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.toldDemos(PROMPTS, { mistakes }),
      losses: [parts.maskedCrossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
