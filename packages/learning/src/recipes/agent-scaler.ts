/**
 * AgentScaler: a general phase over many simulated environments of tools, then a phase in one domain;
 * only verified runs are learned.
 *
 * Source: "Towards General Agentic Intelligence via Environment Scaling" (S333).
 * Differs from it: general environments are the other environments of this project, drawn by seed, and not
 * built from a bank of APIs; runs are a demonstrator's.
 * Why: there is no bank of APIs; environments that generators draw have exact verifiers.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentScaler: CreateRecipe = recipe({
  name: "agent-scaler",
  literature: "AgentScaler",
  differs: [
    "general environments are the other environments of this project, drawn by seed, and not built from a bank of APIs",
    "runs are a demonstrator's",
  ],
  schedule: ["stages"],
  settings: { mistakes: 0.2, generalSteps: 15, steps: 15, learningRate: 3e-3 },
  stages: ({ mistakes, generalSteps, steps, learningRate }) => [
    tokenStage({
      name: "general",
      rollout: parts.formedDemos(["general"], mistakes),
      filters: [parts.verify()],
      losses: [parts.crossEntropy()],
      state: { "world-model": parts.ownSimulator },
      steps: generalSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    tokenStage({
      name: "domain",
      rollout: parts.demos(mistakes),
      filters: [parts.verify()],
      losses: [parts.crossEntropy()],
      state: { "world-model": parts.ownSimulator },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
