/**
 * AgenticQwen: every round learns tasks that the model's errors asked for: harder ones of what it solves,
 * others of the kind that it fails.
 *
 * Source: "AgenticQwen: Training Small Agentic Language Models with Dual Data Flywheels for Industrial-Scale
 * Tool Use" (S058).
 * Differs from it: tasks are drawn from the environment, no model writes them; harder is the next level of its dial.
 * Why: tasks that are drawn have exact verifiers, those that a model writes have not.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agenticQwen: CreateRecipe = recipe({
  name: "agentic-qwen",
  literature: "AgenticQwen",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "tasks are drawn from the environment, no model writes them",
    "harder is the next level of its dial",
  ],
  schedule: ["flywheel"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    rounds: 2,
    steps: 13,
    learningRate: 3e-3,
    generations: 2,
    copies: 2,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, generations, copies }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.failuresReturn({ mostGenerations: generations, copies }), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskWheel },
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
