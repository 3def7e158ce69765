/**
 * ASearcher: rollouts never wait for the slowest, and may be very long.
 *
 * Source: "Beyond Ten Turns: Unlocking Long-Horizon Agentic Search with Large-Scale Asynchronous RL",
 * arXiv:2508.07976.
 * Differs from it: the lag is a fixed number of updates, corrected by truncated weights.
 * Why: a fixed lag can be repeated from a seed.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const asearcher: CreateRecipe = recipe({
  name: "asearcher",
  literature: "ASearcher",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the lag is a fixed number of updates, corrected by truncated weights",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, lag: 1, mostTurns: 32 },
  stages: ({ groupSize, epsilon, steps, learningRate, lag, mostTurns }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.truncatedImportance(parts.pgClip(epsilon))],
      steps,
      settings: { tasksPerStep: 12, learningRate, lag, maxTurns: mostTurns },
    }),
  ],
});
