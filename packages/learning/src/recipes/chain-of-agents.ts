/**
 * Chain-of-Agents: runs of several teachers become the policy's own turns, those that succeeded and
 * their faultless turns, before reinforcement.
 *
 * Source: "Chain-of-Agents: End-to-End Agent Foundation Models via Multi-Agent Distillation and
 * Agentic RL" (S106).
 * Differs from it: teachers are demonstrators that err more or less often, each acting alone.
 * Why: no stronger models are there; how often a demonstrator errs is known.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { teacherStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const chainOfAgents: CreateRecipe = recipe({
  name: "chain-of-agents",
  literature: "Chain-of-Agents",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "teachers are demonstrators that err more or less often, each acting alone",
  ],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    steps: 25,
    learningRate: 3e-3,
    secondMistakes: 0.3,
  },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, secondMistakes }) => [
    teacherStart({
      filters: [parts.success()],
      loss: parts.maskedCrossEntropy(),
      steps: startSteps,
      learningRate,
      secondMistakes,
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
