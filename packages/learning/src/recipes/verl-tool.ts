/**
 * VerlTool: rollouts are scheduled one by one and come from an older policy; what tools said carries
 * no loss.
 *
 * Source: "VerlTool: Towards Holistic Agentic Reinforcement Learning with Tool Use", arXiv:2509.01055.
 * Differs from it: the lag is a fixed number of updates, corrected by truncated weights.
 * Why: a fixed lag can be repeated from a seed.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const verlTool: CreateRecipe = recipe({
  name: "verl-tool",
  literature: "VerlTool ARLT",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the lag is a fixed number of updates, corrected by truncated weights",
  ],
  schedule: ["one"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, lag: 1 },
  stages: ({ groupSize, epsilon, steps, learningRate, lag }) => [
    rewardStage({
      rollout: parts.asynchronous(parts.group(groupSize)),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.spanMask(parts.truncatedImportance(parts.pgClip(epsilon)))],
      steps,
      settings: { tasksPerStep: 12, learningRate, lag },
    }),
  ],
});
