/**
 * Star-Agents: several generators of demonstrations compete: whose work is chosen makes more of the
 * next.
 *
 * Source: "Star-Agents: Automatic Data Optimization with LLM Agents for Instruction Tuning" (S313).
 * Differs from it: a generator is how often it errs; quality is the verifier's word, difficulty is
 * the number of turns, instead of the gap between two models.
 * Why: no second model is there to compare with; how often a demonstrator errs is known.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const starAgents: CreateRecipe = recipe({
  name: "star-agents",
  literature: "Star-Agents",
  differs: [
    "a generator is how often it errs",
    "quality is the verifier's word, difficulty is the number of turns, instead of the gap between two models",
  ],
  schedule: ["rounds"],
  settings: {
    rounds: 3,
    budget: 12,
    goodMistakes: 0,
    fairMistakes: 0.3,
    poorMistakes: 0.8,
    steps: 8,
    learningRate: 3e-3,
  },
  stages: ({ budget, goodMistakes, fairMistakes, poorMistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.competingDemos([goodMistakes, fairMistakes, poorMistakes], 2),
      filters: [parts.curatedOfGenerators(budget)],
      losses: [parts.crossEntropy()],
      state: { "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});
