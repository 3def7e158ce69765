/**
 * AgentFold: every step begins with the request, what the agent noted and the last result; it notes what
 * it saw, sums several notes up where it can, and acts, all learned by imitation.
 *
 * Source: "AgentFold: Long-Horizon Web Agents with Proactive Context Management" (S041).
 * Differs from it: notes are written by rule; what is summed up are rollouts that failed.
 * Why: a rule sums the same up in every run; a nano model does not write summaries.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentFold: CreateRecipe = recipe({
  name: "agent-fold",
  literature: "AgentFold",
  differs: ["notes are written by rule", "what is summed up are rollouts that failed"],
  schedule: ["sft"],
  settings: { mistakes: 0, steps: 100, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.foldingDemos(mistakes),
      losses: [parts.crossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
