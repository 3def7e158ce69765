/**
 * FAFT: runs that failed are learned from too, with less weight than those that did not.
 *
 * Source: "Can We Rely on LLM Agents to Draft Long-Horizon Plans? Let's Take TravelPlanner as an
 * Example" (S104).
 * Differs from it: what came of a run weighs it, where the paper puts feedback into the prompt.
 * Why: feedback in the prompt would have to be there in pages too.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const faft: CreateRecipe = recipe({
  name: "faft",
  literature: "FAFT",
  differs: ["what came of a run weighs it, where the paper puts feedback into the prompt"],
  schedule: ["sft"],
  settings: { temperature: 0.5, mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ temperature, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      losses: [parts.returnConditioned(temperature)],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
