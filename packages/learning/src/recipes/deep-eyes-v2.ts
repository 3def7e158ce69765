/**
 * DeepEyesV2: a cold start from demonstrations, then reinforcement on tasks at the frontier that tools help
 * with.
 *
 * Source: "DeepEyesV2: Toward Agentic Multimodal Model" (S122).
 * Differs from it: no images; tasks that tools help with are found by rollouts without them, at each step.
 * Why: the models read text alone, and rollouts without tools are the only measure of what tools bring.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const deepEyesV2: CreateRecipe = recipe({
  name: "deep-eyes-v2",
  literature: "DeepEyesV2",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "no images",
    "tasks that tools help with are found by rollouts without them, at each step",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3, pool: 96 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate, pool }) => [
    demonstrationStart({ steps: startSteps, learningRate }),
    rewardStage({
      rollout: parts.pairedTools(groupSize),
      filters: [parts.passRateBand(), parts.whereToolsHelp(), parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats() },
      steps,
      settings: { tasksPerStep: 12, learningRate, taskPool: pool },
    }),
  ],
});
