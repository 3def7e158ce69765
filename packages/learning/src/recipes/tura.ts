/**
 * TURA: a teacher's calls are distilled into an executor of tools; what it says in words is not.
 *
 * Source: "TURA: Tool-Augmented Unified Retrieval Agent for AI Search" (S339).
 * Differs from it: only the executor is built, not retrieval and planning.
 * Why: the environments bring their tools: there is nothing to retrieve.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const tura: CreateRecipe = recipe({
  name: "tura",
  literature: "TURA executor",
  differs: ["only the executor is built, not retrieval and planning"],
  schedule: ["sft"],
  settings: { mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos(),
      filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0)],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
