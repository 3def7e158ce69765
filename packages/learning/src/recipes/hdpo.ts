/**
 * HDPO: thrift is judged among correct trajectories only and on a scale of its own.
 *
 * Source: "Act Wisely: Cultivating Meta-Cognitive Tool Use in Agentic Multimodal Models" (S019).
 * Differs from it: token-mean over the minibatch.
 * Why: a token mean keeps long trajectories from weighing less.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const hdpo: CreateRecipe = recipe({
  name: "hdpo",
  literature: "HDPO",
  differs: ["token-mean over the minibatch"],
  schedule: ["one"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    steps: 25,
    learningRate: 3e-3,
    callCost: 0.05,
    costWeight: 0.3,
  },
  stages: ({ groupSize, epsilon, steps, learningRate, callCost, costWeight }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.economy({ toolCall: callCost }, { kind: "decoupled" }), 0],
      ]),
      advantage: parts.splitAdvantage(costWeight),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
