/**
 * ARTIST: tool output is context only, one terminal reward, no step labels. The reference point that
 * other recipes differ from.
 *
 * Source: Singh et al. 2025, "Agentic Reasoning and Tool Integration for LLMs via Reinforcement
 * Learning", arXiv:2505.01441.
 * Differs from it: token-mean over the minibatch; groups without a signal are rolled out again.
 * Why: a token mean keeps long trajectories from weighing less, and a nano model's groups are often all right or
 * all wrong.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const artist: CreateRecipe = recipe({
  name: "artist",
  literature: "ARTIST",
  differs: ["token-mean over the minibatch", "groups without a signal are rolled out again"],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.spanMask(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
